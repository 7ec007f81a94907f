import { variablesHelp } from '@concordat/gateway'
import { limits } from '@concordat/node-access-contract/contract'
import { defineCommand, type Program } from '../define-command.js'
import { serveService } from './serve-service.js'
import { blockSeconds, serviceOptions } from './service-options.js'
import { startBanner } from './start-banner.js'

const define = (program: Program) =>
  serviceOptions(program).option(
    '--block-seconds <N>',
    `mine a block every N seconds on the development chains, so that the head moves; 0: blocks are mined for
    transactions only, immediately`,
    blockSeconds,
    0,
  )

/** Runs `concordat start`, the service on embedded defaults, until SIGTERM or SIGINT. */
export const startCommand = defineCommand({
  name: 'start',
  description: `Runs the node access service locally: the contract's methods over HTTP, API keys and quota in an embedded
database, and a development chain for each network without a node. In a clone, npm start runs it.`,
  define,
  examples: [
    { says: 'both networks, with a development chain each', line: 'concordat start' },
    {
      says: 'one network, on another port',
      line: 'concordat start --network test --port 8081',
    },
  ],
  notes: `Environment variables; docs/settings.md describes all settings:
${variablesHelp()}

SIGTERM or SIGINT stops the service after requests in flight, for up to ${limits.gracefulStopSeconds} seconds.
"concordat serve" runs it in production, from a configuration file.`,
  run: ({ options: { blockSeconds, ...options }, io }) =>
    serveService(
      {
        ...options,
        gateway: { developmentKeys: true, blockSeconds },
        onReady: (gateway, settings) => io.out(startBanner(gateway, settings)),
      },
      io,
    ),
})
