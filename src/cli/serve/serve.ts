import { reloadableHelp, variablesHelp } from '@concordat/gateway'
import { limits } from '@concordat/node-access-contract/contract'
import { defineCommand, type Program } from '../define-command.js'
import { serveService } from './serve-service.js'
import { serviceOptions } from './service-options.js'

const define = (program: Program) =>
  serviceOptions(program).option(
    '--config <F>',
    'configuration file, YAML or JSON; docs/settings.md describes every setting',
  )

const onDevelopmentChain =
  'no nodes are configured: an embedded development chain is used, which is for development only'

/** Runs `concordat serve`, the service in production, until SIGTERM or SIGINT. */
export const serveCommand = defineCommand({
  name: 'serve',
  description: `Runs the node access service in production, from a configuration file and environment variables, which
take precedence. It creates no development keys. A network without nodes uses a development chain in this process, and
the log warns about it.`,
  define,
  examples: [
    { says: 'the settings of a file', line: 'concordat serve --config concordat.yaml' },
    {
      says: 'settings of the environment, on a free port',
      line: 'CONCORDAT_NODES_TEST=http://127.0.0.1:4444 concordat serve --port 0',
    },
  ],
  notes: `Environment variables; docs/settings.md describes all settings of the file and the environment:
${variablesHelp()}

Logs are JSON lines on standard error. SIGHUP reads the file again: ${reloadableHelp()}.
SIGTERM or SIGINT stops the service after requests in flight, for up to ${limits.gracefulStopSeconds} seconds.`,
  run: ({ options, io }) =>
    serveService(
      {
        ...options,
        gateway: { developmentKeys: false },
        onReady({ networks, metrics }, _settings, log) {
          for (const [network, { embedded }] of Object.entries(networks))
            if (embedded) log.warn({ network }, onDevelopmentChain)
          const urls = Object.values(networks).map(({ url }) => url)
          log.info({ urls: [...new Set(urls)], metrics }, 'the service is ready')
        },
      },
      io,
    ),
})
