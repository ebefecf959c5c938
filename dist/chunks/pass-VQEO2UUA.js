#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{reconcile}from"./chunk-7DGWZT5L.js";import{openDemoServers,openPorts}from"./chunk-KGAUKJPK.js";import"./chunk-L2EBYE34.js";export{openDemoServers,openPorts,reconcile};
