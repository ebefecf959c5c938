#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{reconcile}from"./chunk-7G5UOGPD.js";import{meant,openDemoServers,openFiles,openPorts,personOf}from"./chunk-KBJEG4HT.js";import"./chunk-YPCVC7PK.js";import"./chunk-56DUMJJJ.js";export{meant,openDemoServers,openFiles,openPorts,personOf,reconcile};
