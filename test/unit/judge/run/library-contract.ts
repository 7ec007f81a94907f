/** The contract of a small library, with every part of a contract that a run can use. */
export const libraryContract = {
  openrpc: '1.3.2',
  info: {
    title: 'Library',
    version: '2.1.0',
    'x-networks': {
      north: { title: 'North branch', chainId: '0xa', netVersion: '10', keySuffix: 'N' },
      south: { title: 'South branch', chainId: '0xb', netVersion: '11', keySuffix: 'S' },
    },
    'x-limits': { shelfLength: { value: 3, unit: 'books', section: '4', description: 'Books on a shelf.' } },
    'x-http': { paths: ['/{key}', '/v2/{key}'] },
    'x-failures': { closed: { httpStatus: 429, error: 'unavailable' } },
    'x-head': { method: 'newest', params: [], number: '$.result.number', hash: '$.result.hash' },
    'x-rules': [
      {
        id: 'books.missing-null',
        section: '2.1',
        level: 'mandatory',
        scope: 'service',
        text: 'A book that is not there is null.',
      },
      {
        id: 'books.title',
        section: '2.2',
        level: 'mandatory',
        scope: 'service',
        text: 'A book has its title.',
      },
      {
        id: 'shelf.length',
        section: '4',
        level: 'mandatory',
        scope: 'service',
        text: 'A shelf holds three books.',
      },
      {
        id: 'shelf.order',
        section: '4.1',
        level: 'advisory',
        scope: 'service',
        text: 'Books stand in order.',
      },
    ],
  },
  methods: [
    {
      name: 'newest',
      'x-effect': 'read',
      params: [],
      result: { name: 'newest', schema: { $ref: '#/components/schemas/Head' } },
      errors: [{ $ref: '#/components/errors/unavailable' }],
    },
    {
      name: 'book',
      'x-effect': 'read',
      params: [{ name: 'number', required: true, schema: { type: 'integer', minimum: 0 } }],
      result: { name: 'book', schema: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Book' }] } },
      errors: [{ $ref: '#/components/errors/unavailable' }, { $ref: '#/components/errors/invalidParams' }],
    },
    {
      name: 'lend',
      'x-effect': 'write',
      params: [{ name: 'number', required: true, schema: { type: 'integer' } }],
      result: { name: 'receipt', schema: { type: 'string' } },
      errors: [{ $ref: '#/components/errors/unavailable' }],
    },
    {
      name: 'unmarked',
      params: [],
      result: { name: 'anything', schema: {} },
    },
  ],
  components: {
    schemas: {
      Head: {
        type: 'object',
        required: ['number', 'hash'],
        properties: { number: { type: 'string' }, hash: { type: 'string' } },
      },
      Book: {
        type: 'object',
        required: ['title'],
        properties: { title: { type: 'string' }, shelf: { type: 'integer' } },
      },
    },
    errors: {
      invalidParams: { code: -32602, message: 'Invalid params' },
      unavailable: { code: -32002, message: 'Closed' },
    },
  },
}
