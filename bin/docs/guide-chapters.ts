/** A page of the site that is made of some sections of a long guide. */
export interface GuideChapter {
  /** The last part of its path, below that of the guide. */
  readonly slug: string
  readonly title: string
  /** Headings of the second level. */
  readonly sections: readonly string[]
}

/** The pages of guides that are too long for one. The guide itself becomes a page that lists them. */
export const guideChapters: Readonly<Record<string, readonly GuideChapter[]>> = {
  'docs/backend.md': [
    {
      slug: 'serve',
      title: 'A first service',
      sections: ['Start a project', 'Serve a contract', 'Mount it'],
    },
    {
      slug: 'methods',
      title: 'Methods, errors and limits',
      sections: [
        'Handlers',
        'Errors of every method, and scopes',
        'When a handler fails',
        'Notifications',
        'Limit callers',
      ],
    },
    {
      slug: 'application',
      title: 'In an application',
      sections: ['Serve paths beside an application', 'Share a process between callers', 'Observe requests'],
    },
    {
      slug: 'connections',
      title: 'Subscriptions and WebSockets',
      sections: ['Subscriptions and calls to the client', 'A language server', 'Call it over a WebSocket'],
    },
    {
      slug: 'contract',
      title: 'Look after the contract',
      sections: [
        'Look after a contract',
        'Publish the contract',
        'Extensions',
        'Other outputs',
        'Import it',
        'Open-rpc tools',
      ],
    },
  ],
  'docs/integrator.md': [
    { slug: 'libraries', title: 'With your library', sections: ['Call it', 'With other libraries'] },
    { slug: 'limits', title: 'Errors and limits', sections: ['Errors', 'Limits', 'Quota of the client'] },
    {
      slug: 'client',
      title: 'The typed client',
      sections: ['Typed client', 'Batches and retries', 'Several endpoints', 'Contracts', 'Small bundles'],
    },
    {
      slug: 'options',
      title: 'Options of the client',
      sections: [
        'All options',
        'Middleware',
        'Headers',
        'Decoded values',
        'Validation of results',
        'EIP-1193 provider',
        'Less processor time on servers',
      ],
    },
    {
      slug: 'chain',
      title: 'Follow the chain',
      sections: [
        'Logs of any range',
        'Following the chain',
        'Sending a transaction',
        'Waiting for a receipt',
      ],
    },
    {
      slug: 'platforms',
      title: 'Platforms and other clients',
      sections: ['Where the client runs', 'Beside other clients'],
    },
  ],
  'docs/qa.md': [
    {
      slug: 'run',
      title: 'Run it, and read a failure',
      sections: ['First run', 'Read a failure', 'Every answer counts', 'A case'],
    },
    {
      slug: 'laws',
      title: 'Laws and generated calls',
      sections: ['Laws of a contract', 'Generated calls', 'Proof that the suite catches mistakes'],
    },
    {
      slug: 'gate',
      title: 'Gate and watch',
      sections: [
        'When a green run may gate a deployment',
        'Known failures',
        'Coverage',
        'Latency',
        'Compare with a previous run',
        'Each night',
        'Watch production',
      ],
    },
    { slug: 'transports', title: 'WebSockets and programs', sections: ['WebSockets', 'Programs'] },
  ],
  'conformance/README.md': [
    {
      slug: 'run',
      title: 'Run the suite',
      sections: [
        'First run, in a minute',
        'Read a failure',
        'Reports',
        'Against production',
        'Known failures',
        'In CI',
        'Compare two deployments',
        'Other contracts',
        'Faults for your contract',
      ],
    },
    {
      slug: 'cases',
      title: 'Cases of your own',
      sections: ['Write a case', 'Other spellings of a parameter'],
    },
    { slug: 'invariants', title: 'Invariants of your own', sections: ['Write an invariant'] },
  ],
  'docs/operator.md': [
    {
      slug: 'serve',
      title: 'Run the gateway',
      sections: ['Serve it', 'Install on a machine', 'Keys', 'Dashboard', 'Cost'],
    },
    { slug: 'nodes', title: 'Nodes and failover', sections: ['Nodes'] },
    {
      slug: 'machines',
      title: 'Several machines',
      sections: ['Load balancers', 'A database that fails over'],
    },
    {
      slug: 'upkeep',
      title: 'Upgrades, secrets and backups',
      sections: [
        'Upgrade and roll back',
        'Change the secret',
        'Backup, restore, move',
        'What it keeps, and how safely',
      ],
    },
    {
      slug: 'trouble',
      title: 'Problems, and sizes',
      sections: [
        'When it does not start',
        'When graphs are empty',
        'When mails do not arrive',
        'What the database does at a start',
        'Size of a machine',
      ],
    },
  ],
  'docs/reliability.md': [
    { slug: 'faults', title: 'Faults, and what users see', sections: ['When something breaks'] },
    {
      slug: 'requests',
      title: 'Work of requests',
      sections: ['Work of one request', 'Overload', 'Batches', 'Large bodies', 'Large answers', 'Log'],
    },
    {
      slug: 'memory',
      title: 'Connections and memory',
      sections: ['Connections', 'Memory', 'Generated inputs and a mixed load'],
    },
    { slug: 'processes', title: 'Processes that die', sections: ['Failures of processes'] },
  ],
}
