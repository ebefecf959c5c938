#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{meant,openDemoServers,openFiles,openPorts,personOf,reconcile}from"./chunk-4IVZN6L4.js";import"./chunk-HBOMEYEX.js";export{meant,openDemoServers,openFiles,openPorts,personOf,reconcile};
