#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{reconcile}from"./chunk-Y2SJKTAW.js";import{meant,openDemoServers,openFiles,openPorts,personOf}from"./chunk-5XOPSGGL.js";import"./chunk-GS5NWBUT.js";export{meant,openDemoServers,openFiles,openPorts,personOf,reconcile};
