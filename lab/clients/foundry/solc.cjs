#!/usr/bin/env node
// solc of npm with the command line of the native compiler, which forge expects.
const { readFileSync } = require('node:fs')
const solc = require('solc')

if (process.argv.includes('--standard-json')) console.log(solc.compile(readFileSync(0, 'utf8')))
else console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`)
