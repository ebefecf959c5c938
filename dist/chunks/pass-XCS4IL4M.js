#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{reconcile}from"./chunk-5ZQBBOHL.js";import{meant,openDemoServers,openFiles,openPorts,personOf}from"./chunk-Y6H7DQVI.js";import"./chunk-WT4ZC5RS.js";export{meant,openDemoServers,openFiles,openPorts,personOf,reconcile};
