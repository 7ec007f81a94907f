"""A counter that web3.py deploys, calls and reads.

Each step writes a line: `* STEP: works`, `works with OPTION` or `cannot: REASON`.
"""

import importlib.metadata
import json
import os
import sys
import time
import traceback
import urllib.request

from web3 import Web3
from web3.middleware import SignAndSendRawMiddlewareBuilder


def step(name, ways, limit=None):
    """Tries the ways of a step in order and reports the first that works.

    ways: functions by the option that each needs; the empty text is the way without an option.
    limit: a part of the error of the last way, and the reason why no way can work.
    """
    failure = None
    for option, way in ways.items():
        try:
            way()
            print(f"* {name}: works{f' with {option}' if option else ''}", flush=True)
            return
        except Exception as error:
            failure = error
            print(name, option, file=sys.stderr)
            traceback.print_exc()
    is_limit = limit and limit[0] in repr(failure)
    print(f"* {name}: {f'cannot: {limit[1]}' if is_limit else 'failed'}", flush=True)


def refused(call, text, shown=str):
    """Checks that a call is refused with a text that the program prints by itself, or that `shown` finds."""
    try:
        call()
    except Exception as error:
        assert text in shown(error), f"{text} is not in {error!r}"
        return
    raise AssertionError("an error was expected")


print("* version:", importlib.metadata.version("web3"))
w3 = Web3(Web3.HTTPProvider(os.environ["RPC_URL"]))
account = w3.eth.account.from_key(os.environ["PRIVATE_KEY"])
w3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(account), layer=0)
with open(os.environ["CONTRACT"]) as file:
    compiled = json.load(file)
gas_price = {"gasPrice": w3.eth.gas_price}
state = {}


def count(block="latest"):
    return state["counter"].functions.count().call(block_identifier=block)


def mined(transaction):
    return w3.eth.wait_for_transaction_receipt(transaction, timeout=60, poll_latency=0.2)


def deploy(options):
    factory = w3.eth.contract(abi=compiled["abi"], bytecode=compiled["bytecode"])
    receipt = mined(factory.constructor(40).transact({"from": account.address, **options}))
    state["counter"] = w3.eth.contract(address=receipt["contractAddress"], abi=compiled["abi"])
    assert count() == 40


def increase(by, options):
    return mined(state["counter"].functions.increase(by).transact({"from": account.address, **options}))


def send(options):
    receipt = state["receipt"] = increase(2, options)
    while w3.eth.block_number < receipt["blockNumber"] + 1:
        time.sleep(0.2)
    assert receipt["status"] == 1
    assert count() == 42


def counts(logs):
    return [log["args"]["count"] for log in logs]


def events_by_filter():
    state["counter"].events.Increased.create_filter(from_block="latest")


def events_by_logs():
    for by in (1, 2):
        increase(by, gas_price)
    first = state["receipt"]["blockNumber"] + 1
    while len(found := state["counter"].events.Increased().get_logs(from_block=first)) < 2:
        time.sleep(0.2)
    assert counts(found) == [43, 45]


def read_logs():
    first = state["receipt"]["blockNumber"]
    assert counts(state["counter"].events.Increased().get_logs(from_block=first)) == [42, 43, 45]


def read_old_state():
    assert count(state["receipt"]["blockNumber"] - 1) == 40
    assert w3.eth.get_balance(account.address, 1) > 0


def read_by_hash():
    assert count(state["receipt"]["blockHash"]) == 42


def read_pending():
    assert w3.eth.get_block("pending")["parentHash"]


def many_balances():
    with w3.batch_requests() as batch:
        for number in range(300):
            batch.add(w3.eth.get_balance(Web3.to_checksum_address(f"0x{number + 1:040x}")))
        assert len(batch.execute()) == 300


def events_over_restart():
    before, first = count(), w3.eth.block_number + 1
    increase(1, gas_price)
    urllib.request.urlopen(os.environ["RESTART_URL"], data=b"").close()
    increase(2, gas_price)
    while len(found := state["counter"].events.Increased().get_logs(from_block=first)) < 2:
        time.sleep(0.2)
    assert counts(found) == [before + 1, before + 3]


def revert():
    refused(lambda: state["counter"].functions.increase(0).call({"from": account.address}), "nothing to add")


def too_many_logs():
    refused(lambda: w3.eth.get_logs({"fromBlock": 0, "toBlock": "latest"}), "more than 10000 results")


def spent(shown):
    provider = Web3.HTTPProvider(os.environ["SPENT_URL"])
    refused(lambda: Web3(provider).eth.block_number, "limit is spent", shown)


step("deploys a contract", {"": lambda: deploy({}), "`gasPrice`": lambda: deploy(gas_price)})
step("sends a transaction and waits", {"": lambda: send({}), "`gasPrice`": lambda: send(gas_price)})
step(
    "receives events by polling",
    {"": events_by_filter, "`get_logs` in a loop, because filters are not kept": events_by_logs},
)
step("reads logs", {"": read_logs})
step("reads old state", {"": read_old_state})
step("reads state by block hash", {"": read_by_hash})
step("reads 300 balances in one turn", {"`batch_requests`": many_balances})
step("shows the reason of a revert", {"": revert})
step("reads the pending block", {"": read_pending})
step("receives events over a restart", {"`get_logs` in a loop": events_over_restart})
step("shows the limit of logs", {"": too_many_logs})
step("shows a refused block tag", {"": lambda: refused(lambda: w3.eth.get_block("finalized"), "a tag: latest")})
step(
    "shows a spent daily limit",
    {
        "": lambda: spent(str),
        "`error.response.text`, because the error itself has only the status, and the URL with the key": lambda: spent(
            lambda error: error.response.text
        ),
    },
)
