import type { SettingSchema } from './setting-schema.js'
import { tuningSchema } from './tuning.js'

const host = { type: 'string', format: 'host', examples: ['0.0.0.0'] } as const
const port = {
  type: 'integer',
  minimum: 0,
  maximum: 65_535,
  examples: [0],
  'x-unit': 'TCP port',
} as const

/** A node of a network: its URL, or an object. */
const nodeSchema = {
  description: 'A node: its URL, or an object.',
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  'x-text': 'url',
  properties: {
    url: {
      description: 'URL of the node.',
      type: 'string',
      format: 'http-url',
      examples: ['https://node.example.net/rpc'],
    },
    name: {
      description: 'Name in logs and metrics. The default is the network and the position, such as `main-1`.',
      type: 'string',
      format: 'name',
      examples: ['node-a'],
    },
    weight: {
      description: 'Share of the calls. A node with 0 is asked only when no other node can answer.',
      type: 'integer',
      minimum: 0,
      maximum: 1_000,
      default: 1,
      examples: [3],
      'x-unit': 'parts',
    },
    timeoutMs: {
      description:
        "Time that the node has for an answer. The default is the contract's `nodeTimeoutSeconds`.",
      type: 'integer',
      minimum: 1,
      'x-maximum': { limit: 'nodeTimeoutSeconds', times: 1_000 },
      examples: [5_000],
      'x-unit': 'milliseconds',
    },
    headers: {
      description: 'Headers of each request to the node.',
      type: 'object',
      propertyNames: { format: 'header-name' },
      additionalProperties: { description: 'A value.', type: 'string', format: 'header-value' },
      default: {},
      examples: [{ authorization: 'Bearer secret' }],
    },
  },
} as const satisfies SettingSchema

/**
 * Every setting of the service (JSON Schema 2020-12): the configuration file and the environment are validated by it,
 * `docs/settings.md` and `deploy/concordat.schema.json` are made from it. Run `npm run generate` after a change.
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
      description: 'Port to listen on; 0 takes a free one.',
      default: 8080,
    },
    dataFolder: {
      description: 'Folder of the embedded database, the secret and the control socket.',
      type: 'string',
      format: 'folder',
      default: '.concordat',
      examples: ['/var/lib/concordat'],
      'x-variable': 'CONCORDAT_DATA',
    },
    databaseUrl: {
      description: 'PostgreSQL server that processes share. Without it, the process embeds a database.',
      type: 'string',
      format: 'postgres-url',
      examples: ['postgres://user:password@host:5432/concordat'],
      writeOnly: true,
      'x-variable': 'DATABASE_URL',
    },
    secret: {
      description:
        'Secret that encrypts keys. Without it, the data folder holds one. A shared database needs it.',
      type: 'string',
      minLength: 32,
      examples: ['32 or more characters that nobody guesses'],
      writeOnly: true,
    },
    secretPrevious: {
      description: 'The secret before this one: its keys are encrypted anew at the start.',
      type: 'string',
      minLength: 32,
      examples: ['32 or more characters that nobody guesses'],
      writeOnly: true,
    },
    networks: {
      description: 'Networks of the contract that this process serves. The default is all of them.',
      type: 'array',
      items: { description: 'A network.', type: 'string', format: 'network' },
      minItems: 1,
      examples: [['test']],
    },
    nodes: {
      description: 'Nodes of each network.',
      type: 'object',
      propertyNames: { format: 'network' },
      default: {},
      writeOnly: true,
      additionalProperties: {
        description:
          'Nodes of the network: URLs, or objects in the file. `embedded`, like none, starts a development chain.',
        type: 'array',
        items: nodeSchema,
        minItems: 1,
        examples: [['http://127.0.0.1:4444']],
        'x-none': 'embedded',
      },
    },
    publicUrls: {
      description: 'URLs that users are shown. The default is the address that the service listens on.',
      type: 'object',
      propertyNames: { format: 'network-or-dashboard' },
      default: {},
      'x-variable': 'CONCORDAT_PUBLIC_URL',
      properties: {
        dashboard: {
          description: 'URL of the dashboard, without a path. Behind a proxy, forms need it.',
          type: 'string',
          format: 'origin',
          examples: ['https://rpc.example.net'],
        },
      },
      additionalProperties: {
        description: 'Base of the URLs of the network. Different hosts split the networks.',
        type: 'string',
        format: 'public-url',
        examples: ['https://rpc.example.net'],
      },
    },
    smtpUrl: {
      description:
        'Mail server that confirms addresses and resets passwords. Without it, sign-up is instant.',
      type: 'string',
      format: 'smtp-url',
      examples: ['smtp://user:password@host:587?from=no-reply@example.net'],
      writeOnly: true,
    },
    operators: {
      description: 'E-mail addresses of operators: with a confirmed address, they administer all users.',
      type: 'array',
      items: { description: 'An address.', type: 'string', format: 'email' },
      default: [],
      examples: [['ada@example.net']],
    },
    limits: {
      description: 'Limits that the operator sets.',
      type: 'object',
      additionalProperties: false,
      default: {},
      'x-variable': 'CONCORDAT_LIMIT',
      properties: {
        requestsPerDay: {
          description: "Requests of a user in one UTC day; lowers the contract's limit.",
          type: 'integer',
          minimum: 1,
          'x-maximum': { limit: 'requestsPerUserPerDay' },
          examples: [20],
          'x-unit': 'requests',
        },
        connections: {
          description: 'Connections of callers at once; further ones are closed.',
          type: 'integer',
          minimum: 1,
          maximum: 1_000_000,
          default: 10_000,
          examples: [50_000],
          'x-unit': 'connections',
        },
      },
    },
    trustedProxies: {
      description: 'Addresses and networks (CIDR) of proxies whose `X-Forwarded-For` is believed.',
      type: 'array',
      items: { description: 'An address or a network.', type: 'string', format: 'address-range' },
      default: [],
      examples: [['10.0.0.0/8', '::1']],
    },
    metrics: {
      description: 'Metrics for Prometheus, without a key: keep the port from the public.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        host: {
          ...host,
          description: 'Address of the metrics. The default is `host`.',
        },
        port: {
          ...port,
          description: 'Port of the metrics, 0 for a free one. Without it, there are none.',
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
          description: 'URL that takes OTLP over HTTP as JSON. Without it, there are no traces.',
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
          description: 'Share of the requests that are traced where the caller does not say.',
          type: 'number',
          minimum: 0,
          maximum: 1,
          default: 1,
          examples: [0.01],
          'x-unit': 'share',
          'x-variable': 'OTEL_TRACES_SAMPLER_ARG',
        },
      },
    },
    tuning: tuningSchema,
    logLevel: {
      description: 'Least severe level that is logged.',
      type: 'string',
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      examples: ['debug'],
    },
  },
} as const satisfies SettingSchema
