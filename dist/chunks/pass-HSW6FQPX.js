#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{reconcile}from"./chunk-EFIMH7TL.js";import{openDemoServers,openPorts}from"./chunk-GIDQLE2K.js";import"./chunk-L2EBYE34.js";export{openDemoServers,openPorts,reconcile};
