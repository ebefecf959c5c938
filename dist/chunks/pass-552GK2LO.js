#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{reconcile}from"./chunk-2KWD3UKJ.js";import{meant,openDemoServers,openFiles,openPorts,personOf}from"./chunk-D2B4NGHL.js";import"./chunk-R4USRIUJ.js";import"./chunk-56DUMJJJ.js";export{meant,openDemoServers,openFiles,openPorts,personOf,reconcile};
