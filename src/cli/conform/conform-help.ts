import { latencyTolerance } from '../../conformance/index.js'
import { documentWords } from '../document-argument.js'
import { conformDefaults } from './conform-options.js'
import { watchDefaults } from './watch/watch-options.js'
import { webhookDefaults } from './watch/webhook.js'

const { budget, perSecond, concurrency, timeoutSeconds } = conformDefaults

/** What `concordat conform --help` prints. */
export const conformHelp = `Usage: concordat conform URL [options]

Checks a running service against its contract: sends the cases of the suite, judges every answer, and reports each
failed case with its rule, the expected and the received answer, and a command that repeats the request. Only
read-only methods are called, unless --allow permits more.

  URL                      the service with its key; the URL appears in no output (not needed with --list). With ws://
                           or wss://, the suite runs over WebSockets: cases about HTTP are not applicable, and
                           subscriptions (x-subscription) are tested

  --contract DOC           another OpenRPC document and the cases derived from it (default: the package's own):
                           ${documentWords}
  --allow-remote           fetch the http and https documents that references name
  --scenarios DIR          scenarios in YAML; shipped means the package's own, whose fixtures are always available
                           (repeatable; default: shipped, for the package's own contract)
  --network NAME           the network of the service (default: read from the key suffix)
  --second-key URL         the same service with another key of the same user
  --revoked-key URL        the same service with a deleted or disabled key
  --key NAME=URL           the same service with a key that cases refer to by name (repeatable). contracts, methods,
                           origins, clients: a key with such a list; token: a key that requires a JSON Web Token;
                           limited: a key with its own limit. Cases that need a key state what its list must contain
  --io-dir DIR             also run the tests of ethereum/execution-apis (.io files) in DIR
  --members all|listed     members of results that are compared: all (default), or those that the contract lists, for
                           tests and services that have more

What may be sent:
  --allow write,spends-quota   also run cases that write, and cases that spend the whole daily limit
  --assume-read PATTERN    treat matching methods without a declared effect as read-only
  --plan                   print the maximum number of requests and send nothing
  --budget N               maximum billed requests (default ${budget}; unlimited for this machine)
  --rps N                  requests per second (default ${perSecond}; unlimited for this machine)
  --concurrency N          cases at the same time (default ${concurrency}; 1 with --profile)
  --timeout SECONDS        time limit for a complete answer (default ${timeoutSeconds})
  --header 'Name: value'   header for every request; the value appears in no output

Which cases:
  --only PATTERN           cases or rules by id; * matches any text, and a leading ! excludes matches (repeatable)
  --replay ID              one case and the fixtures that it needs
  --repeat N               run each case that only reads N times, until it does not pass
  --explore N              also send up to N generated calls: valid ones, nearly valid ones, repeated ones, and
                           sequences in which results become parameters. A failing one is reduced to the smallest call
                           that fails. With --only, generated calls are sent, too, unless a pattern selects some of them
  --seed S                 seed of the generated calls (default: a random one, which the ids of the cases contain)
  --save DIR               write the smallest failing generated calls as case files to DIR/explored
  --list                   print the cases and send nothing
  --profile F              store data found on the service in F and reuse it in the next run, which then sends the
                           same calls in the same order
  --known F                known failures: YAML, a list of case, reason, owner and expires

Output:
  --report FORMAT=FILE     write a report (repeatable): html for people, junit for CI systems, tap, json for programs,
                           --baseline and concordat verify, markdown for a summary, github for annotations,
                           or sarif for code scanning. - prints it instead of the terminal report
  --baseline REPORT.json   compare with a previous JSON report: new failures, fixed, still failing, new and removed
                           cases, coverage, higher latencies, in the terminal and in markdown and github reports
  --latency-tolerance PERCENT  how much a percentile may rise since the baseline (default ${latencyTolerance}; at least 20 ms)
  --fail-on any|new        failures that exit with 1: all (default), or only those that the baseline does not have
  --min-coverage LIST      fail below percentages of what answers covered: methods=100,members=90,branches=90,errors=80
  --max-latency LIST       maximum latencies in milliseconds, of all requests or of methods, in addition to those of the
                           contract (x-latency): p99=500 or getBook:p50=20,getBook:max=1000 (repeatable)
  --latency warn|fail      whether an exceeded maximum, or a higher latency than in the baseline, is a warning (the
                           default) or fails the run
  --require-complete       exit with 3 if a case is inconclusive, did not run or lacks a fixture that is not optional
  --help                   show this help

Watch:
  --watch SECONDS          run until SIGINT or SIGTERM: every SECONDS a small part of the cases that only read, so that
                           each case has its turn. A rule fails from the failure of one of its cases until all of them
                           pass; inconclusive cases change nothing. Changes are printed. States are kept in memory
  --watch-budget N         maximum billed requests in any hour (default ${watchDefaults.perHour})
  --metrics-port N         serve Prometheus metrics on 127.0.0.1 at /metrics (0: a free port)
  --webhook URL            send a POST with JSON (rule, case, state failing or recovered, reason, target, time, text)
                           when a rule begins or stops failing, up to ${webhookDefaults.attempts} times; the URL appears in no output

Environment:
  CONCORDAT_CONFORM_TOKEN        JSON Web Token for the key given with --key token=
  CONCORDAT_CONFORM_FUNDED_KEY   private key of an account with funds, for cases that send transactions

Exit codes: 0 passed, 1 a failure, an unanswered case or a stale known failure, 2 could not run or no method was
answered, 3 incomplete (with --require-complete). With --watch: 0 no rule fails at the end, 1 a rule fails or the
service is down, 2 no case was judged.`
