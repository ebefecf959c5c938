#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{reconcile}from"./chunk-JW43XGN6.js";import{openDemoServers,openPorts}from"./chunk-A2MRM6YV.js";import"./chunk-L2EBYE34.js";export{openDemoServers,openPorts,reconcile};
