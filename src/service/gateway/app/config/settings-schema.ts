import { limits } from '@concordat/node-access-contract/contract'
import { networkNames } from '../../profiles/index.js'
import { nodesSchema } from './nodes-schema.js'
import { fromVariable, type SettingSchema } from './setting-schema.js'
import { tuningSchema } from './tuning.js'

const host = { type: 'string', format: 'host', examples: ['0.0.0.0'] } as const
const port = {
  type: 'integer',
  minimum: 0,
  maximum: 65_535,
  examples: [0],
  'x-unit': 'TCP port',
} as const

/**
 * Every setting of the service (JSON Schema 2020-12), and all that is stated about it. `npm run generate` makes the
 * validator, `docs/settings.md`, `deploy/concordat.yaml` and `deploy/concordat.schema.json` of it; `serve --help` and
 * the reload at SIGHUP read it.
 */
export const settingsSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Settings of concordat serve',
  description: 'The configuration file of `concordat serve --config FILE`, as YAML or JSON.',
  type: 'object',
  additionalProperties: false,
  properties: {
    host: {
      ...host,
      description: 'IP address or host name to listen on.',
      default: '127.0.0.1',
    },
    port: {
      ...port,
      description: 'Port to listen on, 0 for a free port.',
      default: 8080,
    },
    version: {
      description:
        'Version of Concordat that the settings are written for. If it is newer than the program, unknown settings are ignored and logged; otherwise they are errors.',
      type: 'string',
      format: 'version',
      examples: ['1.0.0'],
    },
    dataFolder: {
      description:
        'Folder of the embedded database, the development chains, the secret and the control socket.',
      type: 'string',
      format: 'folder',
      default: '.concordat',
      examples: ['/var/lib/concordat'],
      'x-variable': 'CONCORDAT_DATA',
      'x-sample': '/var/lib/concordat',
    },
    databaseUrl: {
      description:
        'PostgreSQL server that all processes share. Without it, the process uses an embedded database.',
      type: 'string',
      format: 'postgres-url',
      examples: ['postgres://user:password@host:5432/concordat'],
      writeOnly: true,
      'x-variable': 'DATABASE_URL',
      'x-sample': fromVariable('DATABASE_URL'),
    },
    secret: {
      description:
        'Secret that encrypts keys. Without it, a secret is created in the data folder. A shared database requires it.',
      type: 'string',
      minLength: 32,
      examples: ['at least thirty-two random characters'],
      writeOnly: true,
      'x-sample': fromVariable('CONCORDAT_SECRET'),
    },
    secretNext: {
      description:
        'The next secret, in the first step of a change: it decrypts and verifies, but neither encrypts nor signs.',
      type: 'string',
      minLength: 32,
      examples: ['at least thirty-two random characters'],
      writeOnly: true,
      'x-sample': fromVariable('CONCORDAT_SECRET_NEXT'),
      'x-temporary': true,
    },
    secretPrevious: {
      description:
        'The previous secret: it decrypts and verifies, and what it encrypted is encrypted again at the start.',
      type: 'string',
      minLength: 32,
      examples: ['at least thirty-two random characters'],
      writeOnly: true,
      'x-sample': fromVariable('CONCORDAT_SECRET_PREVIOUS'),
      'x-temporary': true,
    },
    networks: {
      description: 'Networks of the contract that this process serves. The default is all networks.',
      type: 'array',
      items: { description: 'A network.', type: 'string', format: 'network' },
      minItems: 1,
      examples: [['test']],
      'x-sample': networkNames,
    },
    nodes: nodesSchema,
    publicUrls: {
      description: 'URLs shown to users. The default is the address that the service listens on.',
      type: 'object',
      propertyNames: { format: 'network-or-dashboard' },
      default: {},
      'x-variable': 'CONCORDAT_PUBLIC_URL',
      properties: {
        dashboard: {
          description: 'URL of the dashboard, without a path. Required for forms behind a proxy.',
          type: 'string',
          format: 'origin',
          examples: ['https://rpc.example.net'],
        },
      },
      additionalProperties: {
        description:
          'Base of the URLs of the network. With different hosts, each host serves only its network.',
        type: 'string',
        format: 'public-url',
        examples: ['https://rpc.example.net'],
      },
    },
    smtpUrl: {
      description:
        'Mail server for address confirmation and password reset. Without it, sign-up needs no confirmation.',
      type: 'string',
      format: 'smtp-url',
      examples: ['smtp://user:password@host:587?from=no-reply@example.net'],
      writeOnly: true,
      'x-sample': fromVariable('MAIL_URL'),
    },
    operators: {
      description: 'E-mail addresses of operators. With a confirmed address, they can administer all users.',
      type: 'array',
      items: { description: 'An address.', type: 'string', format: 'email' },
      default: [],
      examples: [['ada@example.net']],
      'x-reload': true,
    },
    product: {
      description: 'How the dashboard presents the service.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        name: {
          description:
            "Name of the service in headers, titles and wallets. The default is the contract's title.",
          type: 'string',
          format: 'product-name',
          examples: ['Example RPC'],
        },
        wordmark: {
          description:
            'SVG or PNG file of at most 20 KiB, shown instead of the name. In an SVG, `prefers-color-scheme` follows the theme.',
          type: 'string',
          format: 'file',
          examples: ['/etc/concordat/wordmark.svg'],
        },
        favicon: {
          description: 'SVG or PNG file of at most 20 KiB. The default is a sign in the accent colour.',
          type: 'string',
          format: 'file',
          examples: ['/etc/concordat/favicon.svg'],
        },
        accentColour: {
          description:
            'Colour of links and buttons. Each theme makes it darker or lighter until text in it has enough contrast.',
          type: 'string',
          format: 'colour',
          default: '#2456e6',
          examples: ['#0f766e'],
        },
        support: {
          description: 'E-mail address or URL that the pages offer for support.',
          type: 'string',
          format: 'contact',
          examples: ['support@example.net'],
        },
        terms: {
          description: 'URL of the terms of use, which the pages link to.',
          type: 'string',
          format: 'http-url',
          examples: ['https://example.net/terms'],
        },
        guidesUrl: {
          description:
            'URL of the guides, which the pages link to. The default is `/guides/` with `guidesFolder`.',
          type: 'string',
          format: 'http-url',
          examples: ['https://docs.example.net/'],
        },
        guidesFolder: {
          description:
            'Folder of guides that the service serves at `/guides/`, built by `npm run docs -- --base /guides/ --out FOLDER`.',
          type: 'string',
          format: 'folder',
          examples: ['/var/lib/concordat-guides'],
        },
      },
    },
    limits: {
      description: 'Limits set by the operator.',
      type: 'object',
      additionalProperties: false,
      default: {},
      'x-variable': 'CONCORDAT_LIMIT',
      'x-reload': true,
      properties: {
        requestsPerDay: {
          description: "Requests of a user in one UTC day. It can only lower the contract's limit.",
          type: 'integer',
          minimum: 1,
          maximum: limits.requestsPerUserPerDay,
          default: limits.requestsPerUserPerDay,
          examples: [20],
          'x-unit': 'requests',
        },
        nodeCallsPerSecond: {
          description: 'Node calls of a user a second in a process, except the first of each request.',
          type: 'integer',
          minimum: 10,
          maximum: 100_000,
          default: limits.nodeCallsPerUserPerSecond,
          examples: [500],
          'x-unit': 'node calls a second',
        },
        nodeCallsAtOnce: {
          description: 'Concurrent node calls of a user in a process, except the first of each request.',
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          default: limits.nodeCallsAtOncePerUser,
          examples: [64],
          'x-unit': 'node calls',
        },
        connections: {
          description: 'Maximum number of open connections. Further connections are closed.',
          type: 'integer',
          minimum: 1,
          maximum: 1_000_000,
          default: 10_000,
          examples: [50_000],
          'x-unit': 'connections',
        },
        connectionsPerAddress: {
          description:
            'Maximum number of open connections of an address, for IPv6 of its /64, except trusted proxies.',
          type: 'integer',
          minimum: 1,
          maximum: 1_000_000,
          default: limits.connectionsPerAddress,
          examples: [5_000],
          'x-unit': 'connections',
        },
        newConnectionsPerAddress: {
          description:
            'Connections that an address, for IPv6 its /64, may open in ten seconds, except trusted proxies.',
          type: 'integer',
          minimum: 1,
          maximum: 1_000_000,
          default: limits.newConnectionsPerAddress,
          examples: [10_000],
          'x-unit': 'connections',
        },
      },
    },
    trustedProxies: {
      description: 'Addresses and networks (CIDR) of proxies whose `X-Forwarded-For` is trusted.',
      type: 'array',
      items: { description: 'An address or a network.', type: 'string', format: 'address-range' },
      default: [],
      examples: [['10.0.0.0/8', '::1']],
      'x-sample': ['127.0.0.0/8', '::1'],
    },
    metrics: {
      description: 'Metrics for Prometheus, without authentication. Do not expose the port to the public.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        host: {
          ...host,
          description: 'Address of the metrics. The default is `host`.',
          'x-sample': '127.0.0.1',
        },
        port: {
          ...port,
          description: 'Port of the metrics, 0 for a free port. Without it, metrics are off.',
          examples: [9_464],
        },
      },
    },
    traces: {
      description: 'Traces for OpenTelemetry.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        endpoint: {
          description: 'URL of a collector for OTLP over HTTP as JSON. Without it, traces are off.',
          type: 'string',
          format: 'http-url',
          examples: ['http://127.0.0.1:4318/v1/traces'],
          writeOnly: true,
          'x-variable': 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
        },
        serviceName: {
          description: 'Name of the service in traces.',
          type: 'string',
          format: 'name',
          default: 'concordat',
          examples: ['rpc'],
          'x-variable': 'OTEL_SERVICE_NAME',
        },
        ratio: {
          description: 'Share of traced requests, unless the header `traceparent` of the caller decides.',
          type: 'number',
          minimum: 0,
          maximum: 1,
          default: 1,
          examples: [0.01],
          'x-unit': 'share',
          'x-variable': 'OTEL_TRACES_SAMPLER_ARG',
          'x-sample': 0.01,
        },
      },
    },
    tuning: tuningSchema,
    logLevel: {
      description: 'Lowest level that is logged.',
      type: 'string',
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      examples: ['debug'],
      'x-reload': true,
    },
  },
} as const satisfies SettingSchema
