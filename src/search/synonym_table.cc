// The thesaurus itself.
#include "search/synonyms.h"

namespace pi_mcp::search {

// Written by hand from general knowledge; some entries came up with the queries that docs/search.md
// measures, so expect less of them elsewhere. Abbreviations and commands are in it, and the Chinese
// words that descriptions of tools are made of.
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
deploy deployment; api endpoint; function method; variable parameter
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
search 搜索 查询 检索 检索; query 查询; get 获取 取得; list 列表 列出; create 创建 新建 生成; generate 生成; delete 删除
update 更新 修改; send 发送; read 读取; write 写入; file 文件; folder 文件 目录; web 网页 网站; page 网页 页面; link 链接
image 图片 图像 画像; video 视频; audio 音频; text 文本 文字; content 内容; title 标题; summary 摘要; weather 天气
map 地图; route 路线 路径; location 位置 地点; address 地址; city 城市; coordinate 坐标; train 火车 列车 车次
ticket 车票 余票 门票; station 车站 站点; flight 航班 机票; hotel 酒店; price 价格; stock 股票; market 市场 行情
news 新闻; hot 热点 热门 热榜; trending 热门 热榜 热搜; user 用户; message 消息; email 邮件; data 数据; database 数据 据库
time 时间; date 日期; current 当前; convert 转换; translate 翻译; calculate 计算; chart 图表; result 结果
keyword 关键 键词; id 标识; number 数量; note 笔记; article 文章; paper 论文; author 作者; comment 评论
post 发布 帖子; publish 发布; download 下载; upload 上传; open 打开; close 关闭; start 启动 开始; stop 停止
table 表格; row 行; column 列; document 文档; code 代码; test 测试; tool 工具; server 服务; game 游戏; music 音乐
movie 电影; book 图书 书籍; restaurant 餐厅; food 美食 食品; recipe 菜谱 食谱; health 健康; travel 旅游 旅行
distance 距离; walk 步行; drive 驾车; bike 骑行; nearby 附近 周边; detail 详情 详细
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
)";

}  // namespace pi_mcp::search
