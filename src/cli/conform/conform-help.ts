import { conformDefaults } from './conform-options.js'

const { budget, perSecond, concurrency, timeoutSeconds } = conformDefaults

/** What `concordat conform --help` prints. */
export const conformHelp = `Usage: concordat conform URL [options]

Holds a running service to its contract: sends the cases of the suite, judges every answer, and reports each case that
failed with the rule, what was expected, what came, and a line that sends the request again. Only methods that read
are sent, unless --allow says more.

  URL                      the service, its key included; it appears in no output (not needed with --list)
  --contract DOC           another OpenRPC document, with the cases that follow from it (default: the package's own);
                           JSON or YAML, a folder with openrpc.json, or - for standard input
  --allow-remote           fetch the http and https documents that references in it name
  --scenarios DIR          scenarios in YAML for it; shipped names the package's own, whose fixtures are there in any case
                           (may be given several times; default: shipped, for the package's own contract)
  --network NAME           the network that the service serves (default: told by the key's suffix)
  --second-key URL         the same service with another key of the same user
  --revoked-key URL        the same service with a key that was deleted or disabled
  --key NAME=URL           the same service with a key of the name that cases call it by (may be given several times):
                           contracts, methods, origins, clients: with such a list; token: it asks for a JSON Web Token;
                           limited: with a limit of its own; a case that needs one says what must be on its list
  --io-dir DIR             also the tests of ethereum/execution-apis (.io files) below DIR, as they are

What may be sent:
  --allow write,spends-quota   also cases that write, and cases that spend the whole daily limit
  --assume-read PATTERN    methods that declare no effect and only read
  --plan                   print what would be sent at most, and send nothing
  --budget N               billed requests at most (default ${budget}; none for this machine)
  --rps N                  requests a second (default ${perSecond}; any for this machine)
  --concurrency N          cases at the same time (default ${concurrency}; 1 with --profile)
  --timeout SECONDS        time for a whole answer (default ${timeoutSeconds})
  --header 'Name: value'   sent with every request; the value appears in no output

Which cases:
  --only PATTERN           cases or rules by id; * stands for anything, and a ! before it for all but these (may be
                           given several times)
  --replay ID              one case alone, with what it needs
  --list                   print the cases, and send nothing
  --profile F              keep what was found on the service in F, and use it again in the next run, which asks the
                           same calls in the same order
  --known F                failures that are known: YAML, a list of case, reason, owner and expires

What comes out:
  --report FORMAT=FILE     a report in a file (may be given several times): html, a page for people; junit, for CI
                           systems; tap; json, for programs and concordat verify. - is the standard output, in the
                           place of the terminal report
  --require-complete       exit 3 where a case was inconclusive or did not run
  --help                   this text

From the environment:
  CONCORDAT_CONFORM_TOKEN        JSON Web Token for the key that --key token= gives
  CONCORDAT_CONFORM_FUNDED_KEY   private key of an account with funds, for cases that send transactions

Exit codes: 0 clean, 1 a failure, a case without an answer or a stale known failure, 2 could not run or no
method was answered, 3 incomplete (--require-complete).`
