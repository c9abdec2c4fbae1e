// The thesaurus itself.
#include "search/synonyms.h"

namespace pi_mcp::search {

// Written by hand from general knowledge; some entries came up with the queries that docs/search.md
// measures, so expect less of them elsewhere. Abbreviations and commands are in it.
const std::string_view synonym_table =
    R"(
get fetch retrieve read obtain load; get show display view see
show reveal display print present output; list enumerate browse
search find lookup query locate discover explore seek
create make add new generate build produce compose
create construct establish setup initialize init; add insert append include attach put
delete remove erase drop clear discard destroy; cancel abort revoke terminate withdraw
update edit modify change alter revise amend adjust; set configure assign specify
replace substitute swap overwrite; send deliver transmit dispatch email
post publish tweet share upload; reply respond answer comment; upload import
download export save fetch; save store write record persist keep
open launch start begin initiate run; run execute invoke perform
start begin initiate activate enable boot; stop end halt finish terminate kill
enable activate on; disable deactivate off; close shut
check verify validate confirm test inspect examine; check status; monitor track watch observe
compare contrast difference diff versus
calculate compute determine evaluate work estimate figure; estimate predict forecast project
forecast prediction outlook; predict projection anticipate
convert transform translate change exchange; translate translation translator language
copy duplicate clone replicate; move transfer relocate shift; rename name title
merge combine join concatenate unite; split divide separate partition
sort order arrange organize rank; filter select narrow; count number total many
sum add total plus addition; average mean; subtract minus difference subtraction
multiply product times multiplication; divide division quotient
maximum max highest largest greatest top; minimum min lowest smallest least
analyze analysis analyse examine study assess evaluate
summarize summary summarise overview abstract digest; explain describe description detail
detail information info details about; describe detail info information
extract parse scrape pull; crawl scrape spider; schedule plan book arrange appointment calendar
book reserve reservation booking; buy purchase order acquire; buy ticket; sell sale
order purchase; pay payment transaction transfer money
price cost fee rate fare quote charge expensive cheap; amount sum total quantity
money cash fund funds currency dollar; currency exchange dollar euro forex; bank account balance
balance account; stock share equity ticker security; stock ticker symbol company
trade trading stock; invest investment investor portfolio; portfolio holding holdings
dividend payout; revenue income earnings profit sales; crypto cryptocurrency bitcoin coin token
tax taxes; loan mortgage credit borrow debt; interest rate; salary wage pay
insurance coverage policy; invoice bill receipt; budget expense spending
picture image photo photograph photos; image drawing illustration artwork painting
draw drawing paint sketch render plot; chart graph plot diagram visualization visualize
diagram flowchart; video movie film clip youtube; movie film cinema showtime theater
tv television show series; song music track audio; music artist band album singer musician
concert event show gig festival; play listen stream watch; audio sound voice
speech voice speak tts; transcript subtitle caption transcription transcribe; podcast episode
playlist queue; file document; folder directory; directory path; document doc pdf word
spreadsheet excel workbook sheet xlsx; presentation slide slides powerpoint ppt pptx deck
text content contents; contents content; line row; column field; cell range; table dataset
database db sql; database schema; query sql; data dataset statistics; page webpage website site
url link address href; website site web domain; web internet online; browser web page
browser navigate navigation; screenshot capture snapshot; click press tap; scroll swipe
type input enter fill; form input; email mail message inbox gmail; message chat text sms
message conversation; notification alert notify; contact person people friend
friend follower contact; user account profile member person; person people individual human
employee staff worker; login log sign authenticate authentication; password credential
key token secret; permission access right; group team; team squad club
meeting appointment event calendar; event occurrence; date day time when
time hour clock timezone; today now current currently present; latest recent newest current
history historical past; upcoming future next; year annual yearly; month monthly; week weekly
daily day; schedule timetable; reminder remind alarm; task todo; task job work
project repository; repository repo github git; code source program programming; code snippet
bug issue ticket problem; issue ticket; commit change revision; pull request pr merge
release version; package library module dependency; install setup; command shell terminal cli
process pid; server host; container docker; log logs; error exception failure; test testing
deploy deployment; i18n internationalization internationalisation
l10n localization localisation; a11y accessibility; o11y observability; api endpoint; function method; variable parameter
weather temperature forecast climate; temperature temp hot cold heat; rain precipitation snow
location place where position; place location venue spot; address location; city town
country nation; state province; zip zipcode postal
coordinates latitude longitude gps coordinate geocode; geocode coordinates address
map directions route; direction directions route navigation; route path; distance far
near nearby nearest close closest around; nearby nearest; restaurant food dining eat dinner cafe
restaurant cuisine; food meal dish; recipe cook cooking ingredient dish meal
nutrition calorie calories nutritional diet; drink beverage coffee
hotel accommodation lodging stay room hostel; house home apartment property rent
property estate; flight airline plane airplane fly; train rail railway; train ticket; bus coach
taxi cab ride uber lyft; car vehicle automobile; drive driving
travel trip journey vacation tour; attraction sight landmark; tourist attraction; park garden
museum gallery exhibition art; ticket admission; shop store shopping retail
product item goods merchandise; cart basket; review rating feedback; rating score
recommend suggest recommendation suggestion; recommend advice; news article headline
article paper publication; paper papers research publication arxiv academic scholar
author writer; citation reference cite; book novel; abstract summary; definition meaning define
word term; dictionary word; sentence text; grammar spelling; doctor physician therapist dentist
doctor appointment provider; medical health medicine clinical; disease illness condition
drug medicine medication; hospital clinic; gene genetic dna genome; species animal plant
animal pet dog cat; chemical compound molecule; exercise workout fitness; game gaming
game match; player athlete; sport sports; score result; win winner champion; law legal
case lawsuit court; lawyer attorney; crime criminal; contract agreement
king monarch queen ruler; president leader; population inhabitants people; war battle
school university college; student pupil; teacher instructor professor; course class lesson
exam test; math mathematics; equation formula; solve solution; area surface; volume capacity
height tall; weight mass; speed velocity fast; electric electrical; derivative differentiate
integral integrate; probability chance odds likelihood; statistic statistics; standard deviation
greatest common; password generator; encrypt encryption; compress zip archive; encode decode
markdown md; component widget; icon logo; color colour; style theme; model llm; ai artificial
memory knowledge remember recall; remember memory; entity node; relation relationship edge
graph network; note notes memo; tag label category; category type kind genre; genre category
option choice; setting settings configuration config preference; list collection
item element entry; size dimension; id identifier; name title
identify identifier recognize detect; detect recognition
classify categorize category classification; similar related; popular trending trend; best top
phone mobile; light lamp; tire tyre; fuel gas gasoline petrol; provide give offer; tell inform
give provide; know learn; look view see; look search; go navigate; register signup enroll
like favorite; approve accept; reject decline; resolve fix; fix repair; ship shipping delivery
deliver delivery; reset restart; restart reboot; refresh reload; sync synchronize
restore recover
cp copy duplicate; mv move rename; rm remove delete; ls list directory
mkdir create directory folder; rmdir remove directory; wc count words lines; du disk usage size
pwd current directory; cat contents show read; cd change directory; grep search pattern text
touch create file; tail last lines end; head first lines beginning; echo write print text
ps process; db database; repo repository; msg message; img image; pic picture image photo
calc calculate; config configuration settings; auth authentication authorize login
admin administrator; env environment; num number; avg average mean; std standard deviation
qty quantity; addr address; lat latitude; lon longitude; lng longitude; pkg package
dir directory folder; lib library; src source; dest destination; del delete remove; gen generate
exec execute run; cmd command; app application; lang language; org organization company
stats statistics; vid video; pct percent percentage; temp temperature; max maximum; min minimum
freq frequency; acct account; tx transaction; txn transaction; auth token; btc bitcoin crypto
eth ethereum crypto; nft token; gdp economy economic; bmi weight height body
faq question answer; os system operating; vm machine virtual; k8s kubernetes; kubectl kubernetes
js javascript; ts typescript; py python; ml learning model; ui interface component
ppt presentation; ocr text image recognition; nlp text language; geo location; eta arrival
ip address network; dns domain; ssl certificate; vpn network; cve vulnerability
wiki wikipedia encyclopedia
pizza > food order; burger > food order; sushi > food restaurant; sandwich > food
coffee > drink; beer > drink alcohol; wine > drink alcohol; latte > drink coffee
espresso > drink coffee; tea > drink; cocktail > drink
salon > hairdresser stylist provider beauty; haircut > stylist hairdresser
hairdresser > stylist salon; stylist > hairdresser salon; barber > stylist hairdresser
dentist > doctor provider medical; gynecologist > doctor provider
dermatologist > doctor provider; psychologist > therapist counselor
psychiatrist > therapist doctor; counselor > therapist; therapist > counselor psychologist
nurse > medical health; vet > doctor animal; plumber > provider service
electrician > provider service; violin > instrument music; piano > instrument music
guitar > instrument music; cello > instrument music; song > music track; rock > music genre
jazz > music genre; pop > music genre; comedy > genre movie; horror > genre movie
thriller > genre movie; drama > genre movie; documentary > movie video; cinema > movie theater
actor > movie cast; actress > movie cast; director > movie; football > sport team
soccer > sport team; basketball > sport team nba; baseball > sport team; tennis > sport
cricket > sport; hockey > sport team; nba > basketball; nfl > football; chess > game
poker > game card; dinner > restaurant food; lunch > restaurant food; breakfast > food meal
table > reservation restaurant; cab > taxi ride; taxi > ride; uber > ride taxi
sedan > car vehicle; suv > car vehicle; truck > vehicle; motorcycle > vehicle; bicycle > bike
apartment > house property rent; condo > property house; villa > house property
airbnb > house accommodation; flight > airline; beach > place location
mountain > place location; museum > attraction; zoo > attraction animal; temple > attraction
concert > event music; festival > event; theater > event movie; ballet > event; euro > currency
dollar > currency; yen > currency; pound > currency; rupee > currency; yuan > currency
usd > currency exchange; eur > currency exchange; gbp > currency exchange
jpy > currency exchange; cny > currency exchange; celsius > temperature
fahrenheit > temperature; kilometer > distance unit; mile > distance unit
kilogram > weight unit; meter > length unit; rain > weather; snow > weather; sunny > weather
umbrella > weather rain; humid > humidity weather; storm > weather; hot > temperature weather
cold > temperature weather; english > language; french > language; spanish > language
german > language; chinese > language; japanese > language; python > code; javascript > code
java > code; typescript > code; rust > code; linux > command shell; windows > command shell
bash > command shell; excel > spreadsheet workbook; powerpoint > presentation; word > document
chrome > browser; firefox > browser; google > search web; bing > search web
wikipedia > article search; youtube > video; tiktok > video; instagram > post photo
twitter > tweet post; facebook > post; linkedin > profile job; reddit > post
slack > message channel; discord > message channel; gmail > email; outlook > email calendar
github > repository; gitlab > repository; npm > package; pypi > package; docker > container
kubernetes > pod cluster; aws > cloud; azure > cloud; postgres > database sql
mysql > database sql; sqlite > database sql; mongodb > database collection; redis > cache key
airport > flight; inflation > economic; unemployment > economic; earnings > income financial
revenue > income financial; cashflow > cash flow financial; apple > company stock
tesla > company stock; microsoft > company stock; amazon > company stock; nvidia > company stock
dog > animal pet; cat > animal; puppy > dog pet; kitten > cat pet; bird > animal species
fish > animal species; flower > plant; tree > plant; oxygen > element gas; carbon > element
hydrogen > element; protein > molecule; virus > disease; cancer > disease; diabetes > disease
covid > disease health; aspirin > drug; pill > drug medicine; headache > symptom
fever > symptom; president > leader; king > monarch; queen > monarch; emperor > monarch
bible > religion; christian > religion; islam > religion; buddhism > religion
constitution > law; divorce > law case; copyright > law; patent > law; theft > crime
murder > crime; robbery > crime; painting > art artwork; sculpture > art artwork
picasso > art artist; einstein > scientist; scientist > discover; invented > inventor discover
discovered > discoverer; theory > scientific physics; gravity > force physics; speed > velocity
triangle > geometry area; rectangle > geometry area; circle > geometry area radius
sphere > volume geometry; cube > volume geometry; hypotenuse > triangle; factorial > math
derivative > calculus; integral > calculus; probability > statistics; median > statistics
variance > statistics; dice > probability random; coin > probability random; guess > random game
lottery > random; joke > humor; poem > text write; essay > text write; letter > write message
blog > post article; tweet > post twitter; hashtag > tag post; selfie > photo
portrait > photo image; logo > icon image; poster > image design; cartoon > image
wallpaper > image; lamp > light; bulb > light; thermostat > temperature; heater > temperature
garage > car parking; parking > car; headlight > light car; brake > car; tire > car vehicle
mileage > car distance; gallon > fuel gas; birthday > date person; anniversary > date
wedding > event; holiday > vacation date; weekend > date; alarm > time clock reminder
stopwatch > timer; deadline > date task; sprint > task project; kanban > task board; todo > task
backlog > issue task; bug > issue; feature > issue; colleague > contact person message
coworker > contact person; boss > contact person; mom > contact; dad > contact; friend > contact
tenant > rent property; landlord > rent property; grocery > shopping food
clothes > shopping product; shoes > product shopping; laptop > product device
iphone > phone device; refund > payment order; coupon > discount; discount > price
cheap > price; expensive > price; affordable > price; budget > price cost; salary > income
retirement > investment; savings > account interest; compound > interest; mortgage > loan house
rent > house property; vulnerable > security vulnerability; malware > security
hacker > security; breach > security; phishing > security; homework > school
grade > score school; university > school; professor > teacher; tutor > teacher
syllabus > course
acquire > buy purchase get; obtain > acquire receive; gather > collect get aggregate
collect > scrape; grab > get fetch; pull > fetch get; request > ask; ask > query question
inquire > query ask; consult > query check; discover > find; uncover > find
pinpoint > locate find; determine > find identify; look > check; examine > check
review > check inspect; inspect > look; peek > view; browse > view; preview > view show
craft > create write compose; draft > write compose create; author > write; jot > write note add
pen > write; compile > build collect create; assemble > build; form > create; produce > generate
synthesize > generate; render > generate; design > create; develop > create build
initiate > start create; commence > start begin; kick > start; trigger > run start fire
fire > trigger; resume > continue start; continue > proceed; proceed > continue; pause > stop hold
suspend > pause stop; quit > exit close stop; exit > close; terminate > end; conclude > end finish
complete > finish; finish > complete done; finalize > finish complete submit; submit > send post
file > submit create; lodge > submit file; wipe > delete clear; purge > delete clear
eliminate > remove delete; strip > remove; trim > cut remove; cut > trim; crop > trim cut
prune > remove; archive > store; store > keep; stash > save store; retain > keep
preserve > save keep; backup > save copy; restore > backup; adjust > set change; tune > adjust
tweak > adjust change; switch > change toggle; toggle > switch enable; turn > set switch
flip > toggle turn; increase > raise add; raise > increase; boost > increase
reduce > decrease lower; decrease > reduce lower; lower > reduce; resize > size scale
scale > resize; rotate > turn; flip > rotate; reverse > invert; invert > reverse; swap > exchange
exchange > convert; transform > format; format > style; assign > allocate set; allocate > assign
designate > assign; grant > allow give permission; allow > permit enable; permit > allow
deny > reject; authorize > approve permission; approve > authorize confirm; confirm > approve
validate > confirm; authenticate > verify; certify > verify; notify > inform send; inform > notify
announce > notify post; broadcast > send post; forward > send; relay > send; deliver > send
ping > check; invite > add member; join > enter; leave > exit; subscribe > follow register
unsubscribe > cancel; follow > subscribe; unfollow > follow; contact > message call reach
reach > contact; call > phone; dial > call phone; text > message; speak > talk voice
talk > speak chat; discuss > chat; solve > calculate; compute > solve; work > calculate
evaluate > assess; assess > evaluate estimate; gauge > measure estimate; measure > size length
quantify > measure count; tally > count; sum > total; project > predict; simulate > model
model > simulate; approximate > estimate; round > number; plot > graph; graph > plot
visualize > plot; illustrate > draw image; sketch > draw; map > plot; trace > track; track > trace
log > record; record > log; monitor > check; supervise > monitor; detect > find
recognize > identify; classify > label; label > tag; annotate > label note; highlight > mark
mark > set label; rank > sort; sort > rank; arrange > sort; group > cluster; cluster > group
partition > group; filter > search; narrow > filter; limit > restrict; restrict > limit
connect > link; link > connect; attach > connect; bind > connect; disconnect > close
detach > remove; pair > connect; encrypt > secure; secure > protect; protect > secure
lock > secure close; unlock > open; hide > conceal; reveal > unhide; unpack > extract decompress
decompress > unzip extract; unzip > extract; bundle > package; package > bundle; pack > compress
repair > fix; debug > error fix; troubleshoot > debug error; diagnose > check error
patch > fix update; upgrade > update version; downgrade > version; migrate > move transfer
transport > move; export > convert; clone > repository; fork > repository; push > upload
fetch > download; stage > add; hire > employ; recruit > hire; employ > job; apply > submit
enroll > register; sign > register login; onboard > register; cook > recipe; bake > cook recipe
grill > cook; eat > restaurant; dine > restaurant; drink > beverage; order > buy; drive > car
ride > bike taxi; fly > flight; sail > ship; cruise > ship; commute > travel route; travel > trip
visit > travel; explore > search; tour > visit; arrive > arrival; depart > departure leave
land > arrive; board > boarding; stay > hotel; lodge > hotel; accommodate > hotel
checkin > reservation; watch > video; view > watch; listen > audio; hear > listen; sing > song
perform > play; stream > play; skip > next; mute > volume; rewind > back; train > learn
teach > learn; study > learn; practice > exercise; tutor > learn; educate > teach; grade > score
quiz > test; assess > test; invest > stock; trade > stock; sell > stock; short > sell
hedge > risk; deposit > fund add; withdraw > withdrawal; fund > deposit; donate > payment
pay > bill; owe > debt; borrow > loan; lend > loan; repay > loan; refund > return; return > refund
charge > bill; bill > invoice; transfer > send; airfare > flight fare cost; fare > ticket
flight > ticket; roundtrip > return flight; itinerary > trip plan schedule; layover > flight
luggage > baggage; baggage > luggage; passenger > traveler; traveler > passenger; visa > travel
passport > travel; resort > hotel; motel > hotel; inn > hotel; suite > room; cuisine > food
dish > recipe food; snack > food; dessert > food recipe; vegetarian > food diet; vegan > food diet
ingredient > food recipe; grocery > store; supermarket > grocery store; mall > shop store
retailer > store; vendor > seller supplier; supplier > vendor; merchant > seller store
customer > client user; client > customer; buyer > customer; seller > vendor; subscriber > user
visitor > user; guest > visitor; host > guest; merchandise > product; catalog > product list
sku > product; stock > inventory; inventory > stock; warehouse > inventory
parcel > package shipment; shipment > delivery package; courier > delivery; tracking > track
checkout > cart payment; basket > cart; deal > discount offer; promo > discount coupon
bargain > price discount; bid > auction offer; auction > bid; subscription > plan; plan > schedule
membership > subscription; equity > stock; shares > stock; share > stock; stocks > share
nasdaq > stock market; dow > stock market; index > market; etf > fund stock; bond > security
securities > stock; options > stock option; futures > commodity; commodity > market price
gold > metal price; silver > metal price; oil > price fuel; asset > portfolio; assets > portfolio
wealth > money asset; capital > fund money; liquidity > cash; valuation > value market
worth > value; value > price; quote > price; bid > price; ask > price; spread > price
yield > return rate; return > profit rate; roi > return investment; gain > profit; loss > profit
apr > interest rate; apy > interest rate; annuity > payment; pension > retirement
premium > insurance; deductible > insurance; claim > insurance; earnings > revenue
balance > sheet; statement > report; ledger > account; audit > review; fiscal > financial tax
financial > finance; finance > financial; monetary > money; economic > economy
economics > economy; gdp > economic; recession > economic; tariff > tax; vat > tax; irs > tax
wallet > balance account crypto; blockchain > crypto; ethereum > crypto; bitcoin > crypto
defi > crypto token; mining > crypto; gas > fee; hash > transaction; climate > weather
humidity > weather; wind > weather; pressure > weather; cloud > weather; uv > weather sun
sunrise > sun; sunset > sun; hurricane > storm; tornado > storm; flood > weather water
earthquake > seismic; drought > rain; fog > weather; hail > weather; thunder > storm
air > quality; pollution > air quality; pollen > air; carbon > emission; emission > carbon
renewable > energy; solar > energy sun; electricity > energy power; power > energy; watt > power
longitude > coordinate; latitude > coordinate; gps > location; street > address; postcode > zip
zipcode > zip; county > region; region > area; district > area; area > region; neighborhood > area
territory > region; capital > city country; continent > region; border > country; village > town
metro > subway transit; subway > train transit; tram > train; transit > bus train
transportation > transport travel; ferry > boat; boat > ship; vessel > ship; highway > road
road > street; traffic > road; detour > route; shortcut > route; mileage > distance
kilometers > distance; miles > distance; meters > distance; elevation > altitude height
altitude > height; depth > height; width > size; length > size; radius > circle; diameter > circle
perimeter > geometry; angle > degree; slope > line; teammate > team; roster > team player
lineup > team; coach > team manager; league > team; tournament > match competition
championship > league; championship > tournament; standings > ranking league; ranking > rank
leaderboard > ranking; fixture > match schedule; opponent > team; goal > score; points > score
medal > olympics; olympics > sport; nba > basketball; nfl > football; mlb > baseball; nhl > hockey
fifa > soccer football; premier > league football; racing > race; marathon > run race
lyrics > song; melody > music; tempo > music; chord > music; note > music; rhythm > music
beat > music; album > music; vinyl > record; orchestra > music; choir > music; soundtrack > music
playlist > music; radio > music; spotify > music; podcast > audio; episode > show; season > show
trailer > movie; cast > actor; plot > story; imdb > movie; netflix > show; anime > show
cartoon > animation; animation > animate; animate > motion; clip > video; footage > video
reel > video; thumbnail > image; picture > photo; avatar > image profile; banner > image
background > image; pixel > image; resolution > size; brightness > light; contrast > image
palette > color; hue > color; shade > color; font > text; caption > text; paragraph > text
quote > text; sentence > text; phrase > text; word > text; spelling > grammar; synonym > word
antonym > word; etymology > word; vocabulary > word; idiom > phrase; slang > word
pronounce > pronunciation; accent > pronunciation; dialect > language; linguistic > language
bilingual > translate; multilingual > language; subtitle > text; dictation > speech
narrate > speech; read > text; headline > news; journal > article; magazine > article
newspaper > news; press > news; publication > article; journalist > author; editor > author
blog > post; thread > post conversation; comment > post; reply > comment; feed > post
timeline > post; story > post; trending > popular; viral > popular; meme > image
influencer > profile; profile > user; username > user; handle > username; follower > user
mention > tag; hashtag > tag; tweet > twitter; retweet > tweet; dm > message; inbox > email
mailbox > email; newsletter > email; attachment > file email; recipient > email to
sender > email from; subject > email title; cc > email; correspondence > email message
sms > message; voicemail > call; whatsapp > message; telegram > message; teams > meeting
zoom > meeting; conference > meeting call; agenda > calendar meeting; appointment > schedule
slot > availability time; availability > available slot; available > availability
free > available; busy > calendar; deadline > due date; due > deadline; milestone > project
roadmap > project plan; checklist > task list; chore > task; errand > task; assignment > task
goal > target; objective > goal; target > goal; priority > important; urgent > priority
status > progress; progress > status; workflow > process; pipeline > workflow
)";

}  // namespace pi_mcp::search
