#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{meant,openDemoServers,openFiles,openPorts,personOf,reconcile}from"./chunk-FKRFH4CI.js";import"./chunk-RAQJSSET.js";export{meant,openDemoServers,openFiles,openPorts,personOf,reconcile};
