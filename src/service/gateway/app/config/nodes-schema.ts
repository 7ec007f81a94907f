import { limits } from '@concordat/node-access-contract/contract'
import { fromVariable, type SettingSchema } from './setting-schema.js'

const longestTimeoutMs = limits.nodeTimeoutSeconds * 1_000

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
      description: 'Share of the calls. A node with 0 is used only when no other node can answer.',
      type: 'integer',
      minimum: 0,
      maximum: 1_000,
      default: 1,
      examples: [3],
      'x-unit': 'parts',
    },
    timeoutMs: {
      description: 'Timeout of a request to the node, at most `nodeTimeoutSeconds` of the contract.',
      type: 'integer',
      minimum: 1,
      maximum: longestTimeoutMs,
      default: longestTimeoutMs,
      examples: [5_000],
      'x-unit': 'milliseconds',
    },
    headers: {
      description: 'Headers of every request to the node.',
      type: 'object',
      propertyNames: { format: 'header-name' },
      additionalProperties: { description: 'A value.', type: 'string', format: 'header-value' },
      default: {},
      examples: [{ authorization: 'Bearer secret' }],
    },
  },
} as const satisfies SettingSchema

/** The nodes of each network. */
export const nodesSchema = {
  description: 'Nodes of each network.',
  type: 'object',
  propertyNames: { format: 'network' },
  default: {},
  writeOnly: true,
  additionalProperties: {
    description:
      'Nodes of the network: URLs, or objects in the file. `embedded`, or no node, starts a development chain.',
    type: 'array',
    items: nodeSchema,
    minItems: 1,
    examples: [['http://127.0.0.1:4444']],
    'x-none': 'embedded',
  },
  'x-reload': true,
  'x-sample': {
    test: ['http://127.0.0.1:4444'],
    main: [
      {
        url: 'https://node-a.example.net/rpc',
        name: 'node-a',
        weight: 3,
        timeoutMs: longestTimeoutMs,
        headers: { authorization: `Bearer ${fromVariable('NODE_A_TOKEN')}` },
      },
      { url: `https://provider.example.net/v2/${fromVariable('PROVIDER_KEY')}`, name: 'provider', weight: 0 },
    ],
  },
} as const satisfies SettingSchema
