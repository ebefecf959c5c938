#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{meant,openDemoServers,openFiles,openPorts,personOf,reconcile}from"./chunk-AG5HIZ3K.js";import"./chunk-CCUQJGZX.js";export{meant,openDemoServers,openFiles,openPorts,personOf,reconcile};
