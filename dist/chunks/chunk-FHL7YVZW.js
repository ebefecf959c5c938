var __defProp=Object.defineProperty;var __getOwnPropDesc=Object.getOwnPropertyDescriptor;var __getOwnPropNames=Object.getOwnPropertyNames;var __hasOwnProp=Object.prototype.hasOwnProperty;var __export=(target,all)=>{for(var name in all)__defProp(target,name,{get:all[name],enumerable:!0})},__copyProps=(to,from,except,desc)=>{if(from&&typeof from=="object"||typeof from=="function")for(let key of __getOwnPropNames(from))!__hasOwnProp.call(to,key)&&key!==except&&__defProp(to,key,{get:()=>from[key],enumerable:!(desc=__getOwnPropDesc(from,key))||desc.enumerable});return to};var __toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:!0}),mod);var stdin_exports={};__export(stdin_exports,{annotation:()=>annotation,errorLine:()=>errorLine,fenced:()=>fenced,folded:()=>folded,maskLines:()=>maskLines,warningLine:()=>warningLine,writeOutputs:()=>writeOutputs,writeSummary:()=>writeSummary});module.exports=__toCommonJS(stdin_exports);var import_chunk_S2GIJPAB=require("./chunk-S2GIJPAB.js"),import_node_crypto=require("node:crypto"),import_promises=require("node:fs/promises"),SUMMARY_BYTES_MAX=1e6;function maskLines(secret){return secret.split(/[\r\n]+/).filter(line=>line!=="").map(line=>`::add-mask::${line.replaceAll("%","%25")}
`).join("")}function annotation(level,issue){let properties=[...issue.file===""?[]:[`file=${escapeProperty(issue.file)}`],...issue.line>0?[`line=${issue.line}`]:[],`title=${escapeProperty(issue.reason)}`];return`::${level} ${properties.join(",")}::${escapeData(issue.hint===""?issue.message:`${issue.message}. ${issue.hint}`)}
`}function errorLine(title,message){return`::error title=${escapeProperty(title)}::${escapeData(message)}
`}function warningLine(title,message){return`::warning title=${escapeProperty(title)}::${escapeData(message)}
`}function folded(title,text){let body=(0,import_chunk_S2GIJPAB.printable)(text);return`::group::${escapeData(title)}
${body}${body.endsWith(`
`)?"":`
`}::endgroup::
`}async function writeOutputs(path,values){if(path===void 0||path==="")return;let blocks=Object.entries(values).map(([name,value])=>{let delimiter=`tranche_${(0,import_node_crypto.randomUUID)()}`;return`${name}<<${delimiter}
${value}
${delimiter}
`});await(0,import_promises.appendFile)(path,blocks.join(""))}async function writeSummary(path,markdown){if(path===void 0||path==="")return;let bytes=Buffer.from(markdown),note=`

Cut: the whole text is in the log of the step.
`;await(0,import_promises.appendFile)(path,bytes.length<=SUMMARY_BYTES_MAX?markdown:`${cutToLine(bytes.subarray(0,SUMMARY_BYTES_MAX-note.length-FENCE_MAX).toString("utf8"))}${note}`)}var FENCE_MAX=100,LONG_RUN=new RegExp(`\`{${FENCE_MAX},}`,"g");function fenced(text,language){let body=text.trimEnd().replace(LONG_RUN,"`".repeat(FENCE_MAX-1)),longest=Math.max(2,...[...body.matchAll(/`+/g)].map(([run])=>run.length)),fence="`".repeat(longest+1);return`${fence}${language}
${body}
${fence}
`}function cutToLine(text){let whole=text.slice(0,text.lastIndexOf(`
`)+1),open="";for(let[,fence=""]of whole.matchAll(/^(`{3,})/gm))open=open===""?fence:fence===open?"":open;return`${whole}${open}`}function escapeData(text){return(0,import_chunk_S2GIJPAB.printableLine)(text).replaceAll("%","%25")}function escapeProperty(text){return escapeData(text).replaceAll(":","%3A").replaceAll(",","%2C")}0&&(module.exports={annotation,errorLine,fenced,folded,maskLines,warningLine,writeOutputs,writeSummary});
