// What tools are described with in scripts that are written without spaces, and the English of it.
#include "search/synonyms.h"

namespace pi_mcp::search {

// Written by hand: a small dictionary of everyday words of the web, office, trade, travel and play,
// in Chinese, with some of the same in Japanese and Korean. A word has two characters, as the pairs
// that such text is read in; of longer words the pairs that tell them apart are here.
const std::string_view translation_table =
    R"(
获取 取得 得到 = get fetch retrieve obtain acquire; 读取 阅读 = read load
查看 浏览 = view see browse look; 显示 展示 = show display present; 打印 = print
列出 列表 清单 = list enumerate; 搜索 搜寻 检索 查找 寻找 = search find look seek
查询 = query search lookup check find; 发现 = discover find; 探索 = explore
浏览 览器 = browser browse; 创建 新建 建立 = create make new establish build
生成 产生 = generate create make produce build; 制作 = make produce create cook
构建 搭建 = build construct; 添加 增加 新增 = add append new increase; 插入 = insert
附加 = attach append; 附件 = attachment; 删除 移除 去除 = delete remove erase
清除 清空 清理 = clear clean; 取消 撤销 = cancel undo revoke; 更新 刷新 = update refresh
修改 更改 变更 = modify change edit alter; 编辑 = edit editor; 设置 设定 = set setting configure
配置 = configuration config configure setup; 替换 取代 = replace substitute
发送 发出 送信 發送 전송 = send; 接收 收到 受信 = receive
发布 发表 = publish post release announce; 推送 = push notify; 分享 共享 = share
转发 = forward repost; 回复 答复 = reply respond response answer; 评论 点评 = comment review
点赞 喜欢 = like favorite; 关注 = follow follower attention; 粉丝 = fan follower
收藏 = favorite bookmark collect collection; 收集 采集 汇集 = collect gather collection
上传 = upload; 下载 = download; 导入 引入 进口 = import; 导出 输出 = export output
输入 = input enter type; 保存 存储 储存 = save store storage; 记录 = record log
记忆 回忆 = memory remember recall; 打开 开启 = open; 关闭 = close shut
启动 开始 = start launch begin; 停止 暂停 结束 = stop pause end finish
继续 恢复 = continue resume restore; 运行 执行 실행 = run execute; 调用 = call invoke
启用 激活 = enable activate; 禁用 停用 = disable deactivate; 安装 = install; 卸载 = uninstall
登录 登陆 = login; 注册 = register signup; 验证 校验 = verify validate verification validation
检查 核对 = check inspect verify; 检测 侦测 = detect detection test; 测试 测验 = test testing quiz
监控 监测 = monitor monitoring; 跟踪 追踪 = track trace; 比较 对比 = compare comparison contrast
计算 运算 = calculate compute calculation; 估算 估计 = estimate
预测 预计 = predict prediction forecast; 预报 = forecast; 转换 换算 = convert conversion transform
翻译 = translate translation; 复制 拷贝 = copy duplicate; 移动 = move mobile
重命 命名 = rename name naming; 合并 = merge combine; 拆分 分割 = split divide; 排序 = sort order
排列 = arrange order; 过滤 筛选 滤镜 = filter; 统计 = statistics statistic count
分析 解析 = analyze analysis analyse parse; 总结 概括 归纳 = summarize summary conclude
摘要 概要 = summary abstract digest; 概述 概览 = overview
解释 说明 = explain explanation description instruction; 描述 = describe description
提取 抽取 = extract; 抓取 爬取 = scrape crawl fetch; 安排 = arrange schedule
计划 规划 = plan planning; 预订 预定 = book reserve reservation booking
预约 = appointment reservation book; 购买 购物 = buy purchase shopping shop
出售 销售 = sell sale sales; 支付 付款 = pay payment; 订单 訂單 注文 주문 = order; 退款 = refund
优惠 折扣 = discount coupon deal cheap; 促销 = promotion sale
推荐 荐股 = recommend recommendation suggest; 建议 = suggest suggestion advice recommend
提供 = provide offer; 支持 = support; 使用 = use usage; 选择 = select choose option
管理 = manage management; 组织 = organize organization; 控制 = control
连接 链接 = connect link connection; 提交 = submit commit; 请求 = request; 响应 = response
返回 = return; 处理 = process handle; 加载 = load; 渲染 = render; 绘制 绘画 画图 = draw paint plot
设计 = design; 优化 = optimize optimization; 学习 = learn study learning
教学 教程 = teach tutorial lesson; 指南 攻略 = guide tutorial strategy walkthrough
信息 资讯 = information info news; 详情 详细 细节 = detail details detailed; 数据 資料 = data
数据 据库 = database; 文件 檔案 ファ ァイ 파일 = file; 文件 件夹 フォ ォル ルダ 폴더 = folder
目录 = directory folder catalog; 路径 = path route; 文档 = document documentation doc
文本 文字 = text; 内容 = content; 标题 题目 = title heading headline; 段落 = paragraph
章节 = chapter section; 页面 网页 = page webpage; 网站 站点 = website site
网址 = url link address; 域名 = domain; 网络 = network web internet; 互联 联网 = internet
在线 线上 = online; 图片 图像 影像 = image picture photo; 照片 相片 = photo picture
头像 = avatar profile; 截图 截屏 = screenshot capture; 视频 影片 動画 영상 동영 = video
影片 电影 = movie film; 电视 = tv television; 剧集 电视 视剧 = series show drama
动漫 动画 = anime animation cartoon; 音频 声音 = audio sound voice; 语音 = voice speech
音乐 음악 = music; 歌曲 = song music; 歌词 = lyrics; 歌手 = singer artist; 专辑 = album
播放 = play playback; 直播 = live stream; 字幕 = subtitle caption; 播客 = podcast
小说 = novel fiction; 图书 书籍 = book; 漫画 = comic manga; 诗词 诗歌 古诗 = poem poetry
作者 作家 = author writer; 读者 = reader; 出版 = publish publication; 新书 = book release
畅销 = bestseller bestselling popular; 文学 = literature literary; 经典 = classic
新闻 新聞 ニュ ュー 뉴스 = news; 时事 = current affairs news; 头条 = headline top
热点 热门 热榜 = hot trending popular trend; 热搜 = trending hot trend; 趋势 = trend trending
排行 排名 = rank ranking leaderboard top; 榜单 排行 行榜 = rank ranking chart list top
话题 = topic; 主题 = topic theme subject; 讨论 = discussion discuss; 论坛 社区 = forum community
社交 = social; 媒体 = media; 平台 = platform; 国际 = international; 国内 = domestic
全球 世界 = global world worldwide; 国家 = country nation national; 政治 = politics political
经济 = economy economic; 财经 金融 = finance financial economic; 商业 = business commercial
企业 公司 = company enterprise business corporation; 创业 = startup entrepreneurship
投资 投融 = investment invest investor; 融资 = financing funding; 股票 = stock share
股市 = stock market; 基金 = fund; 债券 = bond; 期货 = futures; 证券 = security securities
市场 = market; 行情 = market quote price; 价格 = price cost; 费用 = fee cost expense; 成本 = cost
收入 营收 = income revenue; 利润 = profit; 盈利 = profit earnings
财报 = earnings financial report; 股息 分红 = dividend; 汇率 환율 = exchange rate
货币 = currency money; 加密 = crypto encrypt cryptocurrency; 比特 特币 = bitcoin
账户 帐户 账号 = account; 余额 = balance; 银行 = bank; 贷款 = loan; 利率 = interest rate
税务 税收 = tax; 发票 = invoice; 预算 = budget; 工资 薪资 = salary wage; 保险 = insurance
房产 房价 = property house estate; 租房 租赁 = rent rental lease; 商品 = product goods item
产品 商品 상품 = product; 品牌 = brand; 商店 店铺 = shop store; 超市 = supermarket grocery
物流 快递 = delivery shipping package express logistics; 库存 = stock inventory
消费 = consumer consumption spending; 电子 = electronic electronics
数码 = digital electronics gadget device; 手机 = phone mobile smartphone
电脑 计算 算机 = computer pc; 设备 = device equipment; 硬件 = hardware; 软件 = software
应用 = app application; 程序 = program; 代码 코드 = code; 编程 = programming code
开发 = develop development developer; 开发 发者 = developer; 前端 = frontend; 后端 = backend
服务 = service server; 服务 务器 = server; 接口 = interface api; 函数 = function; 变量 = variable
参数 = parameter argument; 组件 = component; 界面 = interface ui; 按钮 = button; 表单 = form
样式 = style; 布局 = layout; 模板 = template; 图标 = icon; 颜色 = color; 字体 = font
背景 = background; 示例 例子 = example sample; 日志 = log journal changelog; 版本 = version
项目 = project item; 任务 タス スク = task; 问题 = question problem issue; 错误 = error
故障 = fault failure; 安全 = security safe safety; 漏洞 = vulnerability; 密码 = password
权限 = permission; 加密 = encrypt encryption; 解密 = decrypt; 压缩 = compress zip
解压 = unzip decompress extract; 备份 = backup; 系统 = system; 终端 = terminal; 命令 = command
进程 = process; 线程 = thread; 内存 = memory; 容器 = container; 部署 = deploy deployment
仓库 = repository repo warehouse; 分支 = branch; 模型 = model
智能 = intelligent smart intelligence ai; 人工 工智 = artificial ai; 机器 = machine robot
算法 = algorithm; 科技 技术 = technology tech technical; 科学 = science scientific
创新 = innovation; 研究 = research study; 论文 = paper thesis publication; 学术 = academic scholar
期刊 = journal; 引用 = citation reference cite quote; 知识 = knowledge
百科 = encyclopedia wiki wikipedia; 词典 字典 辞書 = dictionary; 单词 词语 = word
语言 言語 語言 = language; 中文 汉语 = chinese; 英文 英语 = english; 日语 日文 = japanese
拼音 = pinyin; 语法 = grammar; 历史 = history historical; 文化 = culture cultural; 艺术 = art
教育 = education; 学校 = school; 大学 = university college; 学生 = student; 老师 教师 = teacher
课程 = course class; 考试 = exam test; 成绩 = score grade result; 作业 = homework assignment
天气 气象 天氣 天気 날씨 = weather; 气温 温度 = temperature; 湿度 = humidity
降雨 下雨 = rain precipitation; 空气 = air; 空气 气质 = air quality; 预警 = warning alert
地震 = earthquake; 环境 = environment; 地图 地圖 地図 지도 = map
位置 地点 = location place position; 地址 住所 주소 = address; 坐标 = coordinate coordinates
经度 经纬 = longitude coordinate coordinates; 纬度 经纬 = latitude coordinate coordinates
地理 = geography geographic geocode; 编码 = code encode encoding geocode; 距离 = distance
方向 = direction; 路线 = route directions; 导航 = navigation navigate directions
交通 = traffic transport transportation; 步行 = walk walking; 骑行 = bike cycling bicycle
驾车 开车 自驾 = drive driving; 公交 = bus transit; 地铁 = subway metro; 火车 列车 = train railway
高铁 = train railway speed; 铁路 = railway rail train; 车次 列车 電車 列車 기차 열차 = train
车票 火车 = ticket train; 余票 = ticket tickets seat availability available
门票 = ticket admission; 机票 = flight ticket airfare; 航班 フラ = flight; 航空 = airline aviation
机场 = airport; 车站 駅名 車站 站点 = station; 出发 = departure depart; 到达 = arrival arrive
中转 换乘 = transfer interline connection; 座位 = seat; 经停 = stop station
酒店 宾馆 飯店 ホテ テル 호텔 = hotel; 住宿 = accommodation lodging stay
旅游 旅行 = travel tour tourism trip; 行程 = itinerary trip schedule
景点 = attraction sight scenic; 签证 = visa; 护照 = passport; 城市 = city; 省份 = province
地区 区域 = region area district; 街道 = street; 附近 周边 = nearby near around
餐厅 餐馆 饭店 餐廳 맛집 식당 = restaurant; 美食 = food cuisine; 食物 食品 = food
菜品 菜肴 = dish meal; 菜谱 食谱 = recipe recipes dish cooking menu; 菜单 = menu
做菜 烹饪 = cook cooking recipe; 食材 = ingredient ingredients; 步骤 = step instruction
早餐 = breakfast; 午餐 = lunch; 晚餐 = dinner; 膳食 饮食 = diet meal; 营养 = nutrition
热量 卡路 = calorie calories; 饮料 = drink beverage; 咖啡 = coffee; 外卖 = takeout delivery
健康 = health healthy; 医疗 医学 = medical medicine; 医院 = hospital; 医生 = doctor
疾病 = disease illness; 症状 = symptom; 药物 药品 = drug medicine; 基因 = gene; 蛋白 = protein
运动 体育 = sport sports exercise; 健身 = fitness workout
比赛 赛事 = match game competition event; 球队 团队 = team; 球员 选手 玩家 = player
足球 = football soccer; 篮球 = basketball; 得分 比分 = score; 游戏 = game gaming
角色 人物 = character role; 技能 = skill ability; 装备 = equipment gear item; 武器 = weapon
属性 = attribute property stat; 等级 = level rank; 卡片 卡牌 = card; 英雄 = hero champion
阵容 配队 = team composition lineup; 养成 培养 = build training raise
命运 运势 = fortune destiny luck; 八字 = fortune birth destiny; 生肖 = zodiac
星座 = zodiac horoscope constellation; 黄历 = almanac calendar auspicious
农历 阴历 = lunar calendar; 公历 阳历 = gregorian solar calendar; 日历 = calendar; 日期 = date day
时间 時間 시간 = time; 时区 = timezone; 日程 = schedule calendar agenda; 节日 = festival holiday
假期 = holiday vacation; 今天 今日 = today daily; 明天 = tomorrow; 昨天 = yesterday
当前 目前 = current now; 实时 = realtime live current; 最新 = latest newest recent new
最近 近期 = recent nearest; 历史 过去 = past history; 未来 = future; 每日 每天 = daily day
每周 = weekly week; 每月 = monthly month; 年度 每年 = annual yearly year; 小时 = hour
分钟 = minute; 提醒 = remind reminder alert; 闹钟 = alarm; 通知 = notification notify notice
消息 = message news; 邮件 邮箱 メー = email mail; 短信 = sms text message; 聊天 = chat
微信 = wechat; 微博 = weibo; 抖音 = douyin tiktok; 知乎 = zhihu; 豆瓣 = douban; 百度 = baidu
淘宝 = taobao; 京东 = jd jingdong; 支付 付宝 = alipay; 高德 = amap; 哔哩 = bilibili
小红 红书 = xiaohongshu rednote; 腾讯 = tencent; 阿里 = alibaba aliyun; 网易 = netease
苹果 = apple; 谷歌 = google; 微软 = microsoft; 会议 = meeting conference; 联系 系人 = contact
用户 使用 用者 ユー ーザ 사용 용자 = user; 客户 = customer client; 成员 = member
好友 朋友 = friend; 姓名 名字 名称 = name; 性别 = gender sex; 年龄 = age; 生日 = birthday
身份 = identity; 个人 = personal profile; 电话 号码 = phone number telephone; 编号 = number id
数字 = number digit digital; 数量 = quantity number count amount; 金额 = amount
总数 总计 = total sum; 平均 = average mean; 最大 = maximum max largest
最小 = minimum min smallest; 百分 = percent percentage; 随机 = random; 公式 = formula
数学 = math mathematics; 单位 = unit; 长度 = length; 重量 体重 = weight; 面积 地区 = area
速度 = speed; 质量 = quality mass; 标准 = standard; 类型 种类 = type kind category
类别 分类 = category classification classify class; 标签 = tag label; 关键 键词 = keyword key
关系 = relation relationship; 节点 = node; 实体 = entity; 状态 = status state
结果 = result outcome; 格式 = format; 表格 = table spreadsheet sheet; 工作 作表 = worksheet sheet
单元 元格 细胞 = cell; 图表 = chart graph diagram; 折线 = line chart; 柱状 = bar column chart
饼图 = pie chart; 散点 = scatter; 流程 程图 = flowchart process; 思维 导图 = mindmap mind map
演示 幻灯 灯片 = presentation slide slides powerpoint ppt; 报告 = report; 简历 = resume cv
合同 = contract; 法律 法规 = law legal regulation; 案件 案例 = case; 专利 = patent
政府 = government; 政策 = policy; 招聘 = recruit job hiring; 职位 岗位 = job position
求职 = job career; 面试 = interview; 工具 = tool; 插件 = plugin extension; 笔记 = note notes
文章 記事 기사 = article; 帖子 = post thread; 博客 블로 로그 = blog; 评测 = review evaluation
评价 = review rating evaluate; 评分 = rating score; 经验 = experience; 生活 = life lifestyle
实用 = practical useful; 值得 = worth; 免费 = free; 会员 = member membership; 帮助 = help
反馈 = feedback; 购票 = ticket buy; 剧本 脚本 = script; 宠物 = pet; 动物 = animal; 植物 = plant
汽车 车辆 = car vehicle auto; 新能 能源 = energy; 电池 = battery; 家居 家庭 = home family
婚姻 结婚 = marriage wedding married; 女性 = women female; 男性 = men male
儿童 = child children kid; 老人 = elderly; 军事 = military; 宇宙 太空 = space universe
动作 操作 = action operation; 对话 会话 = conversation dialog session chat
交互 互动 = interact interaction; 点击 单击 = click; 滚动 = scroll; 填写 填充 = fill
拖拽 拖动 = drag; 切换 转换 = switch toggle; 悬停 = hover; 等待 = wait; 重试 = retry
重启 = restart reboot; 同步 = sync synchronize; 刷新 = refresh reload
订阅 = subscribe subscription; 绑定 = bind; 解决 = solve resolve; 回答 解答 = answer
提问 询问 = ask question; 确认 = confirm; 批准 审批 = approve approval; 拒绝 = reject deny
允许 = allow permit; 限制 = limit restrict; 匹配 = match; 识别 = recognize recognition identify
定位 = locate location position; 定时 = timer scheduled timing; 调度 = schedule dispatch
上下 下文 = context; 思考 推理 = think reasoning reason
评估 = evaluate assessment assess evaluation; 审核 审查 = review audit; 规则 = rule
条件 = condition; 条款 = terms clause; 范围 = range scope; 区间 = range interval
批量 = batch bulk; 单个 = single; 全部 所有 = all; 默认 = default; 临时 = temporary
永久 = permanent; 开头 起始 = start beginning; 末尾 最后 = last end; 下一 = next; 上一 = previous
索引 = index; 指数 = index exponent; 指标 = indicator metric metrics; 仪表 = dashboard gauge
报警 告警 = alarm alert; 事件 = event; 活动 = activity event campaign; 主机 = host; 集群 = cluster
镜像 = image mirror; 凭证 凭据 = credential; 令牌 代币 = token; 密钥 = key secret
签名 = signature sign; 认证 = authentication authenticate certification
授权 = authorization authorize license; 许可 = license permission; 账单 = bill billing
交易 = transaction trade trading deal; 转账 汇款 = transfer remittance
充值 = recharge topup deposit; 提现 = withdraw withdrawal; 估值 = valuation; 资产 = asset
负债 = debt liability; 现金 = cash; 信用 = credit; 股东 = shareholder; 分析 析师 = analyst
涨跌 涨幅 = change gain rise; 成交 = trade volume turnover; 持仓 = position holding
均线 = average; 黄金 = gold; 石油 原油 = oil crude; 外汇 = forex currency exchange
概率 = probability; 方程 = equation; 几何 = geometry; 三角 = triangle; 圆形 = circle
矩形 = rectangle; 角度 = angle; 平方 = square; 微积 积分 = calculus integral; 导数 = derivative
矩阵 = matrix; 向量 = vector; 回归 = regression; 方差 = variance; 分布 = distribution
序列 = sequence series; 数组 = array; 整数 = integer; 小数 = decimal; 字符 = character string
字符 符串 = string; 布尔 = boolean; 对象 = object; 类型 = type class; 文件 = file document
表达 达式 = expression; 正则 = regex; 缓存 = cache; 队列 = queue; 调试 = debug
编译 = compile build; 构建 = build; 依赖 = dependency; 框架 = framework; 模块 = module
代理 = agent proxy; 爬虫 = crawler spider scraper; 站点 = site sitemap; 链接 = link url
二维 维码 = qrcode qr; 水印 = watermark; 剪辑 = clip edit; 转码 = transcode
录制 录音 = record recording; 朗读 合成 = synthesize speech tts
转录 转写 = transcribe transcription transcript; 绘图 作图 = draw plot chart drawing
画布 = canvas; 形状 = shape; 箭头 = arrow; 边框 = border; 透明 = transparent; 尺寸 大小 = size
宽度 = width; 高度 = height altitude; 深度 = depth; 旋转 = rotate rotation; 裁剪 = crop
缩放 = scale resize zoom; 对齐 = align; 页码 分页 = page pagination; 页眉 = header; 页脚 = footer
目录 = contents; 脚注 = footnote; 批注 = comment annotation; 水平 = level horizontal
垂直 = vertical; 幻灯 灯片 = slide; 演讲 = speech talk lecture
文稿 = manuscript document presentation; 合并 = merge; 公告 = announcement notice
广告 = ad advertisement advertising; 营销 = marketing; 电商 = ecommerce; 直播 = livestream
主播 = streamer anchor; 视频 = video clip; 短剧 = drama; 综艺 = variety show
票房 = boxoffice box office; 影院 = cinema theater; 演员 = actor cast; 导演 = director
演出 = performance show concert; 展览 = exhibition; 博物 物馆 = museum; 图书 书馆 = library
公园 = park; 停车 = parking; 加油 = refuel gas fuel; 充电 = charge charging
出租 打车 = taxi cab ride; 租车 = rental car; 轮船 = ship ferry; 港口 = port harbor
海关 = customs; 出口 = export exit; 供应 = supply supplier; 采购 = procurement purchase
仓储 = warehouse storage; 配送 = delivery; 包裹 = parcel package; 地铁 = metro
拥堵 路况 = traffic congestion; 红绿 = traffic light; 限行 = restriction; 日出 = sunrise
日落 = sunset; 风力 风速 = wind; 台风 = typhoon storm; 雷达 = radar; 污染 = pollution
碳排 = carbon emission; 森林 = forest; 海洋 = ocean sea; 河流 = river; 山脉 = mountain
人口 = population; 员工 职员 = employee staff; 部门 = department; 请假 = leave absence
考勤 = attendance; 绩效 = performance; 审批 = approval; 财务 = finance accounting
报销 = reimbursement expense; 律师 = lawyer attorney; 法院 = court; 诉讼 = lawsuit litigation
判决 = judgment verdict; 犯罪 = crime criminal; 警察 = police; 选举 = election vote
总统 = president; 战争 = war; 宗教 = religion; 哲学 = philosophy; 心理 = psychology mental
物理 = physics; 化学 = chemistry chemical; 生物 = biology biological; 元素 = element
分子 = molecule; 病毒 = virus; 癌症 肿瘤 = cancer tumor; 临床 = clinical
试验 实验 = trial experiment; 治疗 = treatment therapy; 诊断 = diagnosis; 手术 = surgery
疫苗 = vaccine; 中医 = tcm chinese medicine; 睡眠 = sleep; 减肥 = diet weight loss
跑步 = run running; 瑜伽 = yoga; 象棋 国际 = chess; 围棋 = go; 扑克 = poker card; 彩票 = lottery
骰子 = dice; 抽卡 = gacha draw; 副本 = dungeon instance; 公会 = guild; 段位 = rank tier
战绩 = record stats match; 皮肤 = skin; 乡镇 = town; 邮编 邮政 = zip postal postcode
语义 = semantic; 情感 情绪 = sentiment emotion; 文案 = copy copywriting text
提示 = prompt hint tip; 聊天 机器 = chatbot; 向导 = wizard guide; 计时 = timer countdown
倒计 = countdown; 秒表 = stopwatch; 闰月 = leap month; 干支 = stems; 吉日 吉凶 宜忌 = auspicious
占卜 算命 = divination fortune; 塔罗 = tarot; 起名 取名 = name naming; 祝福 = blessing wish
礼物 = gift; 笑话 = joke; 谜语 = riddle; 成语 = idiom; 名言 = quote; 搜尋 查詢 検索 = search query
資訊 정보 = information info; 圖片 圖像 画像 = image picture; 網頁 = webpage page; 網站 = website
連結 = link; 訊息 メッ セー 메시 시지 = message; 設定 = setting configure; 獲取 取得 = get fetch
創建 建立 作成 = create; 刪除 削除 삭제 = delete; 更新 編集 編輯 = update edit
日期 日付 날짜 = date; 翻譯 翻訳 번역 = translate; 計算 계산 = calculate
股票 株価 株式 주식 = stock; 價格 価格 値段 가격 = price; 訂房 予約 예약 = book reservation
路線 経路 = route; 一覧 列表 목록 = list; 表示 顯示 = show display; 保存 儲存 저장 = save
読み 讀取 읽기 = read; 書き 寫入 쓰기 写入 = write; ペー = page; コメ ント 댓글 = comment
プロ ジェ = project; 論文 = paper; 要約 摘要 = summary; 店舗 商店 = store shop
購入 購買 = buy purchase; 会議 會議 = meeting; 予定 日程 일정 = schedule event; 검색 = search
조회 = query get lookup; 생성 = create generate; 추가 = add; 수정 변경 = edit modify update change
문서 = document; 이미 미지 = image; 상세 = detail details; 메일 = mail email; 위치 = location
길찾 = directions route; 항공 = flight airline; 주가 = stock price; 시세 = price quote
분석 = analyze analysis; 요약 = summary summarize; 결제 = payment; 게시 시글 = post; 修改 = update
网页 网站 = web; 标识 = id; 行 = row; 列 = column
)";

}  // namespace pi_mcp::search
