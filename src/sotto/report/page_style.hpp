// The style sheet of every report.html: one column, light and dark, screen and paper, no outside resource.
#pragma once

namespace sotto {

inline constexpr const char* kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#fbfaf7;--card:#fff;--ink:#1d1c1a;--muted:#67635b;--line:#ddd9cf;--accent:#0f5f5c;
--soft:#0f5f5c22;--prior:#d5cfc1;--np:#b42318;--npsoft:#fdecea;--warn:#8a4b08;--warnsoft:#fdf3e1;--shade:#0006;
--k0:#0f5f5c;--k1:#c07a12;--k2:#7a4a8f;--k3:#2f6db3;--k4:#7b8b2a;--k5:#b4523c}
@media(prefers-color-scheme:dark){:root{--bg:#151615;--card:#1c1e1d;--ink:#e9e7e2;--muted:#a29e94;--line:#343632;
--accent:#6cc5bf;--soft:#6cc5bf2b;--shade:#000c;--prior:#45463f;--np:#ff9585;--npsoft:#3a1d1a;--warn:#f0b96a;--warnsoft:#33270f;
--k0:#6cc5bf;--k1:#e3a94b;--k2:#bb93d0;--k3:#7fb0e8;--k4:#b4c26a;--k5:#e58f7a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",
"DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
main{max-width:60rem;margin:0 auto;padding:2.5rem 1.25rem 5rem}
h1,h2{font-family:Charter,"Bitstream Charter","Iowan Old Style",Georgia,"DejaVu Serif",serif;font-weight:600;line-height:1.2}
h1{font-size:clamp(1.6rem,4.5vw,2.3rem);margin:.2rem 0 .4rem;overflow-wrap:anywhere}
h2{font-size:1.4rem;margin:3.2rem 0 .5rem;padding-top:1.1rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.6rem 0 .4rem}
.card h2,.card h3{font:600 .85rem/1.4 system-ui,sans-serif;border:0;padding:0;margin:0 0 .35rem;overflow-wrap:anywhere}
p{margin:.5rem 0 .9rem;max-width:44rem}
p,li,summary,figcaption{overflow-wrap:anywhere}
.kicker{letter-spacing:.14em;text-transform:uppercase;font-size:.75rem;color:var(--muted);margin:0}
.muted{color:var(--muted)}small,.note{font-size:.86rem;color:var(--muted)}
a{color:var(--accent)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.8rem,1fr));background:var(--card);
border:1px solid var(--line);border-radius:8px;overflow:hidden;margin:1.4rem 0}
.facts div{padding:.7rem .75rem;box-shadow:0 0 0 1px var(--line)}
.facts dt{font-size:.75rem;color:var(--muted)}.facts dd{margin:0;font-size:1.05rem;overflow-wrap:anywhere}
.facts dd small{display:block;line-height:1.35}
.box{border-left:4px solid var(--warn);background:var(--warnsoft);padding:.7rem 1rem;margin:1rem 0;border-radius:0 6px 6px 0}
.box p,.box ul{margin:.2rem 0}.box ul{padding-left:1.1rem}.box.np{border-color:var(--np);background:var(--npsoft)}
.box.good{border-color:var(--accent);background:var(--soft)}
.badge{display:inline-block;background:var(--np);color:var(--bg);font:700 .7rem/1.6 system-ui,sans-serif;
letter-spacing:.06em;padding:0 .5em;border-radius:3px;vertical-align:.2em;margin-left:.8em;white-space:nowrap}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.84rem;color:var(--muted);margin:.4rem 0 .8rem}
.legend span{display:inline-flex;align-items:center;gap:.45em}
.legend i{width:1.7em;height:0;border-top:3px solid var(--accent);display:inline-block}
.legend i.p{border-top:9px solid var(--prior)}.legend i.n{border-top:2px dashed var(--np)}
.legend i.k0{border-color:var(--k0)}.legend i.k1{border-color:var(--k1)}.legend i.k2{border-color:var(--k2)}
.legend i.k3{border-color:var(--k3)}.legend i.k4{border-color:var(--k4)}.legend i.k5{border-color:var(--k5)}
svg{display:block;width:100%;height:100%}
svg path{fill:none;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.zero{stroke:var(--muted);stroke-width:1;stroke-dasharray:2 3}
.prior{stroke:var(--prior);stroke-width:13}.prior.thin{stroke-width:6}
.post90{stroke:var(--accent);stroke-width:2}.post50{stroke:var(--accent);stroke-width:5}
.postring{stroke:var(--accent);stroke-width:9;stroke-linecap:round}.postdot{stroke:var(--card);stroke-width:5;stroke-linecap:round}
.pairdot{stroke:var(--accent);stroke-width:4;stroke-linecap:round;opacity:.45}
.np90{stroke:var(--np);stroke-width:1.6;stroke-dasharray:4 3}.npdot{stroke:var(--np);stroke-width:7;stroke-linecap:round}
.cut{stroke:var(--muted);stroke-width:1.6}
.postline{stroke:var(--accent);stroke-width:1.8}.npline{stroke:var(--np);stroke-width:1.4;stroke-dasharray:4 3}
svg .shade,svg .outer,svg .inner{fill:var(--soft)}
.priorline{stroke:var(--muted);stroke-width:1.6;stroke-dasharray:6 4}.kernel{stroke:var(--k1);stroke-width:1.8;stroke-dasharray:2 3}
.legend i.outer{border-top:9px solid var(--soft)}.legend i.inner{border-top:9px solid var(--soft);background:var(--soft)}
.legend i.priorline{border-top:2px dashed var(--muted)}.legend i.kernel{border-top:2px dotted var(--k1)}
figure.tall{margin:.6rem 0 1rem}.tall .plot .area,.tall .yaxis{height:18rem}.tall .xaxis{height:2.3rem}
.tall .xaxis span{width:max-content;max-width:4.6rem;max-height:2.4em;overflow:hidden;overflow-wrap:anywhere;white-space:normal;text-align:center;line-height:1.2}
.trace{stroke-width:1;opacity:.8}.k0{stroke:var(--k0)}.k1{stroke:var(--k1)}.k2{stroke:var(--k2)}.k3{stroke:var(--k3)}
.k4{stroke:var(--k4)}.k5{stroke:var(--k5)}
.frow{display:grid;grid-template-columns:minmax(6rem,13rem) 1fr 13.5rem;gap:.9rem;align-items:center;
border-bottom:1px solid var(--line)}
.fname{font-size:.9rem;overflow-wrap:anywhere}.fplot{height:2.1rem}.fplot.two{height:2.7rem}
.fnum{font-size:.85rem;white-space:nowrap}.cutprior{display:block;font-size:.78rem}
.faxis{border:0}.faxis .fplot{height:1.4rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.9rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.7rem .8rem .4rem;break-inside:avoid;min-width:0}
.plot{position:relative}.plot .area{height:8rem;border-bottom:1px solid var(--line)}
.plot.withy{padding-left:3.3rem}.plot.withy .area{border-left:1px solid var(--line)}
.yaxis{position:absolute;left:0;top:0;width:3rem;height:8rem}
.yaxis span{position:absolute;right:0;transform:translateY(-50%);font-size:.72rem;color:var(--muted);white-space:nowrap}
.xaxis{position:relative;height:1.4rem}
.xaxis span{position:absolute;transform:translateX(-50%);top:.15rem;font-size:.72rem;color:var(--muted);white-space:nowrap}
.xaxis .low{transform:none}.xaxis .high{transform:translateX(-100%)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1.4rem;margin-top:1.8rem}
.pair .plot .area,.pair .yaxis{height:14rem}.pair .plot{margin:0 1.4rem 0 0}
.pair figure{margin:0;min-width:0}figcaption{font-size:.86rem;color:var(--muted);margin-bottom:.7rem}
sup{line-height:0;font-size:max(.75em,11px)}
.scroll{overflow-x:auto;margin:.6rem 0;background:linear-gradient(to right,var(--bg) 30%,#0000),
linear-gradient(to left,var(--bg) 30%,#0000) 100% 0,linear-gradient(to right,var(--shade),#0000),
linear-gradient(to left,var(--shade),#0000) 100% 0;background-size:3rem 100%,3rem 100%,1rem 100%,1rem 100%;
background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}
table{border-collapse:collapse;width:100%;font-size:.87rem}
th,td{padding:.36rem .45rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:600;color:var(--muted);font-size:.78rem}th:first-child,td:first-child{text-align:left;padding-left:0}
.scroll th:first-child,.scroll td:first-child{position:sticky;left:0;background:var(--bg);box-shadow:inset 0 -1px var(--line)}
td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:7rem}
td.text{text-align:left;white-space:normal}th.text{text-align:left}
td.poor{color:var(--np);font-weight:700}td.unknown{color:var(--muted)}td.np,th.np{color:var(--np)}th.np{white-space:normal;min-width:5.2rem}
td.poor::after{content:" !"}
.bar{display:inline-block;width:5.5rem;height:.55rem;background:var(--line);border-radius:2px;vertical-align:middle;
overflow:hidden}.bar b{display:block;height:100%;background:var(--accent)}
details{margin:.8rem 0}summary{cursor:pointer;color:var(--accent)}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.8rem;overflow-x:auto;font-size:.78rem;
line-height:1.45}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media(max-width:40rem){main{padding:1.4rem 1rem 3rem}.facts{grid-template-columns:1fr 1fr}
.frow{grid-template-columns:1fr auto;gap:0 .8rem;padding:.35rem 0}.fplot{grid-column:1/-1;grid-row:2}.fnum{grid-row:1;
grid-column:2}.faxis .fnum,.faxis .fname{display:none}.pair .plot .area,.pair .yaxis{height:11rem}}
@media print{:root{--bg:#fff;--card:#fff;--ink:#000;--muted:#555;--line:#ccc;--accent:#0f5f5c;--soft:#0f5f5c22;--prior:#d5cfc1;
--np:#b42318;--npsoft:#fff;--warn:#8a4b08;--warnsoft:#fff;--k0:#0f5f5c;--k1:#c07a12;--k2:#7a4a8f;--k3:#2f6db3;--k4:#7b8b2a;--k5:#b4523c}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}h2{break-after:avoid}.frow,tr,figure{break-inside:avoid}body{font-size:11pt}.scroll{overflow:visible;background:none}
pre{white-space:pre-wrap;overflow-wrap:anywhere}}
)css";

}  // namespace sotto
