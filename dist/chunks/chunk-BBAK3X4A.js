#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
function isBoundedJson(value){let open=[{value,depth:1}],nodes=0;for(let next=open.pop();next!==void 0;next=open.pop()){if(nodes+=1,nodes>2e5||next.depth>64)return!1;let{value:node,depth}=next;if(!(node===null||typeof node=="string"||typeof node=="boolean")&&!(typeof node=="number"&&Number.isFinite(node))){if(typeof node!="object")return!1;for(let child of Object.values(node))open.push({value:child,depth:depth+1})}}return!0}export{isBoundedJson};
