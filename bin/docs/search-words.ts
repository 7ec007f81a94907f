/**
 * What readers call the subject of a page or section, where its text has other words: by the source, and for a section
 * its anchor.
 */
export const searchWords: Readonly<Record<string, string>> = {
  'docs/packages.md': 'npm packages size weight download verify checksum licence supply chain sbom',
  'docs/packages.md#install-from-archives': 'install without npm registry offline tarball tgz',
  'docs/compatibility.md':
    'breaking change of the API, existing customers, backwards compatible, version bump, deprecate, rename a parameter or field, remove a method, old clients keep working',

  // Backend teams
  'docs/backend.md#start-a-project':
    'start from scratch or an existing specification, scaffold, template, boilerplate, new project, create',
  'docs/backend.md#serve-a-contract':
    'throw return a custom error such as not found with data from a handler or method; optional parameter with a default value; validate and reject invalid bad input automatically; types from the schema; generate documentation of the API',
  'docs/backend.md#mount-it':
    'middleware framework express fastify hono koa nest; host serverless lambda edge; cors; serve two versions of an API side by side',
  'docs/backend.md#what-a-call-costs': 'performance overhead benchmark fast speed of the server',
  'docs/backend.md#handlers':
    'return a different result depending on the caller; read request headers context authentication login of the user in a handler; timeout deadline; cors; graceful shutdown, stop the server without dropping requests; tracing; dependency injection, database connection',
  'docs/backend.md#limit-callers':
    'rate limit throttle quota, how often a customer or user may call, 429, billing plan',
  'docs/backend.md#errors-of-every-method-and-scopes':
    'permissions roles authorization log in with a bearer token access control admin only; shared common error codes',
  'docs/backend.md#share-a-process-between-callers':
    'denial of service, noisy neighbour, fairness, memory limit, protect from one heavy customer, backpressure',
  'docs/backend.md#observe-requests':
    'measure how long each call takes, duration, access log, audit, logging, monitoring, analytics, metrics, prometheus, request id',
  'docs/backend.md#subscriptions-and-calls-to-the-client':
    'push messages, server sent events, realtime stream, notify connected clients, pubsub',
  'docs/backend.md#cancelled-calls': 'abort stop a running call, user pressed cancel',
  'docs/backend.md#call-it-over-a-websocket': 'reconnect, lost connection, websocket client, keepalive ping',
  'docs/backend.md#a-language-server': 'lsp vscode editor mcp server stdio',
  'docs/backend.md#publish-the-contract':
    'publish an sdk, client library for customers, npm package, release the types, share the types with the frontend',
  'docs/backend.md#look-after-a-contract':
    'mock server stub fake, try an API before it exists; breaking change of the contract API; split a document into several files, reference a schema in another file, yaml; compare two versions of a document',
  'docs/backend.md#json-schema': 'draft 7 2020-12 dialect, nullable, keywords, openapi schemas',
  'docs/backend.md#lint-and-its-rules':
    'style guide, naming conventions, configuration of the linter, turn off a rule, own rule, warnings, rename a generated type',
  'docs/backend.md#what-methods-share': 'defaults for all methods, repeat yourself, dry, common errors',
  'docs/backend.md#private-terms-and-extensions-of-your-own':
    'hide internal fields, custom x- extension, secret',
  'docs/backend.md#what-a-change-breaks':
    'breaking change, review in a pull request, changelog, semantic version, existing customers',
  'docs/backend.md#other-outputs':
    'generate code in another language such as python go java; openapi swagger; custom code generator plugin',
  'docs/backend.md#open-rpc-tools': 'migrate from open-rpc generator, existing server',
  'docs/extensions.md':
    'custom x- fields of the openrpc document, documentation of an annotation, deprecated, hide internal',
  'docs/tutorials/backend.md#3-add-a-method': 'edit openrpc.json and regenerate the types and code',

  // Integrators
  'docs/integrator.md#call-it': 'curl postman first request example url endpoint raw http',
  'docs/integrator.md#with-other-libraries':
    'metamask wallet hardhat foundry ethers web3 python java go rust; gas price eip-1559',
  'docs/integrator.md#what-is-asked-first':
    'which account has money, faucet, test coins and accounts, private key; block confirmations final; events; solidity evm version',
  'docs/integrator.md#by-program':
    'ethers viem wagmi web3 python foundry hardhat go-ethereum java options problems',
  'docs/integrator.md#errors':
    'what is wrong with my call, invalid params, meaning of an error code or status, 401, 403, 500, 502, 503, 504, state of an old block is missing, exception, why was a call rejected or refused, unauthorized, forbidden, revert reason',
  'docs/integrator.md#limits':
    'calls in one batch, batch size, maximum calls of a batch, put calls in a batch; concurrency; price, what does a call cost, what counts towards the quota, charged billing, failed calls',
  'docs/integrator.md#typed-client':
    'sdk library javascript typescript client, handle catch an error, timeout, autocomplete',
  'docs/integrator.md#batches-and-retries':
    'how to retry again timeout backoff, combine many calls into one round trip request, read several values at once, reduce the number of requests, slow network',
  'docs/integrator.md#several-endpoints':
    'fallback failover, switch to another backup provider when one is down, redundancy, second url',
  'docs/integrator.md#less-processor-time-on-servers':
    'performance cpu connection pool keepalive http proxy agent',
  'docs/integrator.md#contracts':
    'abi call read a function of a smart contract, decode and read events, erc20 token balance, revert reason, deploy',
  'docs/integrator.md#small-bundles': 'bundle size kilobytes tree shaking lightweight frontend',
  'docs/integrator.md#quota-of-the-client':
    'how many requests are left, remaining usage, warn before the limit',
  'docs/integrator.md#middleware':
    'interceptor hook log every call of the client, tracing opentelemetry, cache answers',
  'docs/integrator.md#headers': 'send custom headers, authorization, refresh a token, request id',
  'docs/integrator.md#decoded-values': 'hex to number bigint conversion, decimal, wei, parse quantities',
  'docs/integrator.md#validation-of-results':
    'check that answers are right, runtime validation zod, do not trust the server',
  'docs/integrator.md#logs-of-any-range':
    'get all past transfers of a token, history of events since a date, index, backfill, more than 2000 blocks, pagination, block range too large',
  'docs/integrator.md#following-the-chain':
    'get notified when a contract emits an event, listen to new blocks and events, watch in real time, subscribe, polling, indexer, reorg, resume after a crash',
  'docs/integrator.md#sending-a-transaction':
    'send coins money payment transfer, sign with a private key, nonce, gas estimate, deploy',
  'docs/integrator.md#waiting-for-a-receipt':
    'is my payment or transaction confirmed, pending stuck transaction, wait until a deployment is mined, confirmations, mined, finality',
  'docs/integrator.md#eip-1193-provider': 'connect a wallet, wagmi ethers viem provider, metamask, dapp',
  'docs/integrator.md#where-the-client-runs':
    'browser react native mobile expo next.js vite webpack jest vitest deno bun cloudflare electron, commonjs require esm import error',
  'docs/integrator.md#beside-other-clients':
    'compare with viem and ethers, comparison, benchmark, alternatives, why choose',
  'docs/questions/which-library.md': 'does it work with my library wallet framework metamask python java',
  'docs/questions/what-happens-at-the-limit.md':
    'what should my app do on 429, too many requests, rate limited, how many requests do I get for free, daily limit reached, when does the quota reset, how long to wait, how many calls are left today',
  'docs/questions/how-many-logs.md': 'more than 2000 blocks, 10000 results, block range too large, events',
  'docs/questions/which-code-for-a-revert.md':
    'why did my contract call fail, execution reverted, require message',

  // QA engineers
  'docs/qa.md#first-run':
    'test a staging server or API that needs an api key, token or header; smoke test, how many requests does a run use',
  'docs/qa.md#read-a-failure':
    'a test is red, understand debug reproduce a failing case, bug report, evidence of a bug for another team, the exact request and response that failed, rerun one case, replay; checks that did not run, skipped, incomplete',
  'docs/qa.md#every-answer-counts': 'consistency across answers, leaked secret, global check',
  'docs/qa.md#laws-of-a-contract':
    'business rules between answers, consistency, sorting and pagination are right, sums and totals, property based',
  'docs/qa.md#when-a-green-run-may-gate-a-deployment':
    'flaky test unstable inconclusive pipeline release gate, block a deployment, exit code, can I trust a green run, missing test data, cases that did not run',
  'docs/qa.md#known-failures':
    'flaky test, ignore skip mute quarantine accept a known bug or failure so that the build and run stay green, should not fail the build',
  'docs/qa.md#generated-calls':
    'fuzz random, weird and unexpected inputs, edge cases, property based testing, boundary values, seed',
  'docs/qa.md#coverage':
    'which methods and rules are not tested yet, untested, how much is tested, percentage, gaps',
  'docs/qa.md#latency': 'performance load response time slow p99 sla',
  'docs/qa.md#compare-with-a-previous-run':
    "regression, compare today's results with yesterday's or the last release, what changed, trend, history",
  'docs/qa.md#each-night': 'schedule nightly cron github actions workflow',
  'docs/qa.md#watch-production':
    'monitor production uptime alert synthetic check canary, notify slack, continuous',
  'docs/qa.md#websockets': 'test a websocket or subscription',
  'docs/qa.md#programs':
    'test a command line program, mcp server, language server, stdin stdout, instead of a url',
  'docs/qa.md#proof-that-the-suite-catches-mistakes':
    'how do I know that the tests find bugs, mutation testing, quality and effectiveness of the tests, seeded faults',
  'conformance/README.md#reports':
    'show results in jenkins gitlab teamcity azure, export xml html csv, a report for a manager or stakeholder, share, publish, dashboard',
  'conformance/README.md#against-production':
    'is it safe to run on the live system, test as another user, side effects, read only, test methods that write, load on the server, cost of a run, how many calls does it use up, slow down',
  'conformance/README.md#in-ci': 'pipeline build jenkins gitlab github actions continuous integration',
  'conformance/README.md#write-a-case':
    'own test, custom check, assertion, variables, loop, yaml syntax, setup and data',
  'conformance/README.md#write-an-invariant':
    'own rule that holds for every answer, custom check, consistency',
  'conformance/README.md#compare-two-deployments':
    'does staging behave like production, compare two environments servers versions difference migration',
  'conformance/README.md#other-contracts': 'test my own API, another service, any openrpc',
  'conformance/README.md#faults-for-your-contract':
    'mutation testing, do my own tests find bugs, inject faults',
  'docs/questions/how-to-write-a-case.md': 'write my own test or check, custom, add a test',
  'docs/tutorials/qa.md#2-run-it': 'run only some tests, filter by name, just one group or endpoint',

  // Operators
  'docs/operator.md#serve-it':
    'configure production start config file environment variables, logs, log level, port, which ports must be open, firewall, listen, https url',
  'docs/operator.md#install-on-a-machine': 'install systemd linux server ubuntu debian vm bare metal',
  'docs/operator.md#nodes':
    'add a node endpoint upstream provider more nodes; a node falls behind, is stale, out of sync, lagging, slow or down; failover, health check, infura alchemy api key',
  'docs/operator.md#what-it-leaves-out': 'hedge broadcast consensus quorum erpc proxyd comparison',
  'docs/operator.md#load-balancers':
    'put it behind nginx haproxy cloudflare cdn proxy tls certificate https; sticky session; zero downtime',
  'docs/operator.md#kubernetes': 'k8s pod ingress helm probe autoscaling',
  'docs/operator.md#compression': 'gzip brotli bandwidth traffic',
  'docs/operator.md#a-database-that-fails-over':
    'postgres replication standby high availability, database down, single point of failure',
  'docs/operator.md#keys': 'create revoke delete list an api key, leaked key, rotate',
  'docs/operator.md#dashboard': 'web interface, portal, console, sign up, register, login, get an api key',
  'docs/operator.md#for-users':
    'rotate a leaked key; two factor 2fa; who changed this key, history, audit; allow list of ip addresses, origins, methods; key visible in browser code; usage of an account; delete an account',
  'docs/operator.md#for-operators':
    'admin, list of users, who has signed up, block, ban, suspend an abusive user or customer; lost phone; raise or lower the daily quota limit; usage csv export billing, who uses the service the most',
  'docs/operator.md#name-logo-and-colours':
    'branding white label theme dark mode own design terms support address',
  'docs/operator.md#mail':
    'mail server smtp e-mail configure, forgot forgotten password reset, verify an address',
  'docs/operator.md#cost':
    'hardware size, how big or large a server do I need, cpu memory ram, throughput requests per second, capacity, performance',
  'docs/operator.md#how-far-one-database-goes': 'database size scaling, number of users, capacity',
  'docs/operator.md#upgrade-and-roll-back':
    'deploy a new version, restart without losing calls, zero downtime rolling update, downgrade, rollback, migration of the database',
  'docs/operator.md#change-the-secret': 'rotate the secret, encryption key leaked, credentials',
  'docs/operator.md#backup-restore-move':
    'lost disk, disaster recovery, restore after data loss, dump, export, migrate to postgres or another server',
  'docs/operator.md#what-it-keeps-and-how-safely':
    'privacy personal data gdpr retention, how long is data kept, encryption at rest, passwords, brute force, security',
  'deploy/README.md': 'grafana dashboard docker compose systemd prometheus files',
  'deploy/README.md#health': 'liveness readiness probe, is it up, status',
  'deploy/README.md#stop-and-reload': 'restart shutdown signal, apply changed settings, config reload',
  'deploy/README.md#metrics': 'grafana prometheus monitoring dashboard, what to measure',
  'deploy/README.md#logs':
    'log format, find a request, debug a complaint of a user, privacy of the log, client address',
  'deploy/README.md#operators':
    'mail server smtp administrator admin account access lost; delete, block, ban, suspend or disable an abusive user or customer; give one customer more or fewer requests, raise or lower the daily quota limit of one user',
  'deploy/README.md#limits-against-abuse':
    'ddos attack flood brute force denial of service protection, rate limit per ip, too many connections, firewall, client ip behind a proxy',
  'docs/runbook.md':
    'alerts pager on call incident, wake somebody at night when it breaks, send alerts to slack, prometheus alertmanager, what to do when it is down',
  'docs/reliability.md#when-something-breaks':
    'outage crash failure of a node, database or machine, uptime, availability, what users see',
  'docs/reliability.md#overload': 'too much traffic, peak, spike, 503, slow',
  'docs/reliability.md#memory': 'out of memory, ram, heap, leak, how much memory does a server need',
  'docs/reliability.md#in-containers':
    'docker memory limit, oom killed, kubernetes resources, requests and limits',
  'docs/settings.md': 'configuration option environment variable default, change a setting',
  'docs/questions/how-to-run-three-machines.md':
    'scale out horizontally, add a second server, several servers, cluster, redundancy, high availability, replicas, put it behind a load balancer',
  'docs/questions/how-to-upgrade-and-back-up.md':
    'update to a new version, downgrade, zero downtime, restore after a lost disk, disaster recovery',
  'docs/questions/how-to-add-a-network.md': 'add another chain, testnet, ethereum, evm',
  'SECURITY.md': 'report a vulnerability, responsible disclosure',
  'SUPPORT.md':
    'which version of node do I need, which versions of node and postgres are supported, end of life, how long is a version maintained',
}
