/** What `concordat verify --help` prints. */
export const verifyHelp = `Usage: concordat verify REPORT.json [options]

Judges the answers again that a report of concordat conform holds, and tells what is judged otherwise now: by a newer
contract, by newer scenarios, by a newer concordat. Nothing is sent.

  REPORT.json              what concordat conform --report json=REPORT.json wrote; - for standard input
  --contract DOC           an OpenRPC document, with the cases that follow from it (default: the package's own)
  --allow-remote           fetch the http and https documents that references in it name
  --scenarios DIR          scenarios in YAML for it; shipped names the package's own (may be given several times;
                           default: shipped, for the package's own contract)
  --help                   this text

Answers of which only the beginning was kept, or in which a secret was replaced, cannot be judged again; they are told,
and a case that failed then fails still.

From the environment:
  CONCORDAT_CONFORM_FUNDED_KEY   private key of the account, for cases that signed with it: no report holds it

Exit codes: 0 nothing fails, 1 a case fails, or did and cannot be judged again, 2 could not judge.`
