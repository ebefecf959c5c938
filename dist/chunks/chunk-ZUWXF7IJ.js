#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
var PREFIX="leaderworkerset.sigs.k8s.io/",LWS_NAME=`${PREFIX}name`,REVISION_KEY=`${PREFIX}template-revision-hash`,WORKER_INDEX=`${PREFIX}worker-index`,GROUP_INDEX=`${PREFIX}group-index`,REPLICAS_SEEN=`${PREFIX}replicas`,GROUP_SIZE=`${PREFIX}size`;function countFromText(text){return/^(?:0|[1-9]\d{0,8})$/.test(text)?Number(text):void 0}export{LWS_NAME,REVISION_KEY,WORKER_INDEX,GROUP_INDEX,REPLICAS_SEEN,GROUP_SIZE,countFromText};
