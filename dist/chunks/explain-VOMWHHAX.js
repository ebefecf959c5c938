#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{explain}from"./chunk-JW43XGN6.js";import"./chunk-A2MRM6YV.js";import"./chunk-L2EBYE34.js";export{explain};
