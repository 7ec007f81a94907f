const task = {
  type: 'object',
  description: 'Something to do.',
  required: ['id', 'title', 'priority', 'doneAt'],
  additionalProperties: false,
  properties: {
    id: { $ref: '#/components/schemas/TaskId' },
    title: { $ref: '#/components/schemas/Title' },
    priority: { $ref: '#/components/schemas/Priority' },
    doneAt: {
      description: 'The time when it was done, or `null` if it is not done.',
      type: ['string', 'null'],
      format: 'date-time',
    },
  },
}

const milk = { id: 1, title: 'Buy milk', priority: 'normal', doneAt: null }

/** Every method can receive invalid parameters. */
const invalidParams = { $ref: '#/components/errors/invalidParams' }

const addTask = {
  name: 'tasks.add',
  summary: 'Adds a task to the end of the list.',
  paramStructure: 'by-position',
  'x-effect': 'write',
  params: [
    { name: 'title', required: true, schema: { $ref: '#/components/schemas/Title' } },
    { name: 'priority', required: false, schema: { $ref: '#/components/schemas/Priority' } },
  ],
  result: { name: 'task', schema: { $ref: '#/components/schemas/Task' } },
  errors: [invalidParams],
  examples: [
    {
      name: 'milk',
      params: [{ name: 'title', value: 'Buy milk' }],
      result: { name: 'task', value: milk },
    },
  ],
}

const getTask = {
  name: 'tasks.get',
  summary: 'Returns a task by its id, or `null` if it does not exist.',
  paramStructure: 'by-position',
  'x-effect': 'read',
  params: [{ name: 'id', required: true, schema: { $ref: '#/components/schemas/TaskId' } }],
  result: { name: 'task', schema: { oneOf: [{ $ref: '#/components/schemas/Task' }, { type: 'null' }] } },
  errors: [invalidParams],
  examples: [
    { name: 'milk', params: [{ name: 'id', value: 1 }], result: { name: 'task', value: milk } },
    {
      name: 'none',
      'x-replay': 'exact',
      params: [{ name: 'id', value: 1_000_000_000 }],
      result: { name: 'task', value: null },
    },
  ],
}

const listTasks = {
  name: 'tasks.list',
  summary: 'Returns the tasks in the order in which they were added.',
  paramStructure: 'by-name',
  'x-effect': 'read',
  params: [
    {
      name: 'done',
      description: 'Returns only done tasks, or only open tasks.',
      required: false,
      schema: { type: 'boolean' },
    },
    {
      name: 'limit',
      description: 'The maximum number of tasks.',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    },
  ],
  result: { name: 'tasks', schema: { type: 'array', items: { $ref: '#/components/schemas/Task' } } },
  errors: [invalidParams],
  examples: [
    {
      name: 'open',
      params: [{ name: 'done', value: false }],
      result: { name: 'tasks', value: [milk] },
    },
  ],
}

const completeTask = {
  name: 'tasks.complete',
  summary: 'Marks a task as done. A task that is already done is unchanged.',
  paramStructure: 'by-name',
  'x-effect': 'write',
  params: [{ name: 'id', required: true, schema: { $ref: '#/components/schemas/TaskId' } }],
  result: { name: 'task', schema: { $ref: '#/components/schemas/Task' } },
  errors: [invalidParams, { $ref: '#/components/errors/noSuchTask' }],
  examples: [
    {
      name: 'done',
      params: [{ name: 'id', value: 1 }],
      result: { name: 'task', value: { ...milk, doneAt: '2026-01-02T08:30:00Z' } },
    },
    {
      name: 'none',
      'x-replay': 'exact',
      params: [{ name: 'id', value: 1_000_000_000 }],
      error: {
        name: 'noSuchTask',
        value: { code: 1001, message: 'There is no such task', data: { id: 1_000_000_000 } },
      },
    },
  ],
}

/** Extensions, declared as OpenRPC requires. */
const extensions = [
  {
    name: 'x-effect',
    restricted: ['methodObject'],
    required: true,
    summary: 'Whether a call reads or writes.',
    description: 'A conformance run sends only methods that read, unless it is allowed more.',
    schema: { enum: ['read', 'write'] },
  },
  {
    name: 'x-replay',
    restricted: ['examplePairingObject'],
    summary: 'Whether every deployment returns exactly the result of the example.',
    description:
      'Without it, or with `shape`, the result of an example only needs to match the schema. A program that `conform` starts must return the result itself, unless the example states `shape`.',
    schema: { enum: ['exact', 'shape'] },
  },
  {
    name: 'x-data-schema',
    restricted: ['errorObject'],
    summary: "The schema of an error's data.",
    description: 'It is part of the types of client and server, and conformance runs check it.',
    schema: { type: 'object' },
  },
].map((extension) => ({ openrpcExtension: '0.0.0-development', version: '1.0.0', ...extension }))

const document = {
  openrpc: '1.3.2',
  info: { title: 'To-do list', version: '1.0.0', description: 'A list of things to do.' },
  methods: [addTask, getTask, listTasks, completeTask],
  components: {
    schemas: {
      TaskId: { type: 'integer', minimum: 1, description: 'Identifies a task. Ids are never reused.' },
      Title: { type: 'string', minLength: 1, maxLength: 200, description: 'The task to do.' },
      Priority: {
        type: 'string',
        enum: ['low', 'normal', 'high'],
        default: 'normal',
        description: 'The importance of the task.',
      },
      Task: task,
      Problem: {
        type: 'object',
        description: 'A problem in the parameters.',
        required: ['path', 'rule', 'message'],
        additionalProperties: false,
        properties: {
          path: { type: 'string', description: 'JSON pointer into the parameters.' },
          rule: { type: 'string', description: 'The violated keyword of the schema.' },
          message: { type: 'string', description: 'The requirement in words.' },
        },
      },
    },
    errors: {
      invalidParams: {
        code: -32602,
        message: 'Invalid params',
        'x-data-schema': { type: 'array', items: { $ref: '#/components/schemas/Problem' } },
      },
      noSuchTask: {
        code: 1001,
        message: 'There is no such task',
        'x-data-schema': {
          type: 'object',
          required: ['id'],
          additionalProperties: false,
          properties: { id: { $ref: '#/components/schemas/TaskId' } },
        },
      },
    },
  },
  'x-extensions': extensions,
}

/** The contract of the sample project, a to-do list. */
export const sampleText = `${JSON.stringify(document, null, 2)}\n`
