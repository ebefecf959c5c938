#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{gitError,refOf}from"./chunk-FKRFH4CI.js";import"./chunk-RAQJSSET.js";import{existsSync,mkdirSync,writeFileSync}from"node:fs";import{join}from"node:path";var config=`[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
`;function createRepository(path,branch){if(existsSync(path))throw gitError(`${path} exists already`,{operation:"open",retryable:!1,hint:"A new repository needs a path of its own."});for(let folder of["objects/info","objects/pack","refs/heads","refs/tags"])mkdirSync(join(path,folder),{recursive:!0});writeFileSync(join(path,"config"),config),writeFileSync(join(path,"HEAD"),`ref: ${refOf(branch)}
`)}export{createRepository};
