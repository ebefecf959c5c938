#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{reconcile}from"./chunk-ZXQEIZHV.js";import{meant,openDemoServers,openFiles,openPorts,personOf}from"./chunk-CAALT5DQ.js";import"./chunk-WT4ZC5RS.js";export{meant,openDemoServers,openFiles,openPorts,personOf,reconcile};
