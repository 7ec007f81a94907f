// A counter that go-ethereum's client deploys, calls and reads. Each step writes a line: `* STEP: works`, `works with
// OPTION` or `cannot: REASON`.
package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

// A way of a step, with the option that it needs; the empty text is the way without an option.
type way struct {
	option string
	run    func() error
}

// limit has a part of an error's message and the reason why no way can work.
type limit struct{ part, why string }

// step tries the ways in order and reports the first that works.
func step(name string, bound limit, ways ...way) {
	var failure error
	for _, way := range ways {
		if failure = way.run(); failure == nil {
			if way.option == "" {
				fmt.Printf("* %s: works\n", name)
			} else {
				fmt.Printf("* %s: works with %s\n", name, way.option)
			}
			return
		}
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", name, way.option, failure)
	}
	if bound.part != "" && strings.Contains(failure.Error(), bound.part) {
		fmt.Printf("* %s: cannot: %s\n", name, bound.why)
	} else {
		fmt.Printf("* %s: failed\n", name)
	}
}

func check(holds bool, what string) error {
	if holds {
		return nil
	}
	return fmt.Errorf("this does not hold: %s", what)
}

// refused checks that a call was refused with a text.
func refused(err error, text string) error {
	if err == nil {
		return errors.New("an error was expected")
	}
	return check(strings.Contains(err.Error(), text), text+" is in "+err.Error())
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func libraryVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/ethereum/go-ethereum" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}

func main() {
	fmt.Println("* version:", libraryVersion())
	ctx := context.Background()
	client := must(ethclient.Dial(os.Getenv("RPC_URL")))
	key := must(crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("PRIVATE_KEY"), "0x")))
	me := crypto.PubkeyToAddress(key.PublicKey)
	var file struct {
		Abi      json.RawMessage
		Bytecode string
	}
	if err := json.Unmarshal(must(os.ReadFile(os.Getenv("CONTRACT"))), &file); err != nil {
		panic(err)
	}
	counterAbi := must(abi.JSON(strings.NewReader(string(file.Abi))))
	var counter *bind.BoundContract
	var address common.Address
	var mined *types.Receipt
	sender := transactor(key)

	count := func(options *bind.CallOpts) (int64, error) {
		var result []any
		if err := counter.Call(options, &result, "count"); err != nil {
			return 0, err
		}
		return result[0].(*big.Int).Int64(), nil
	}
	counts := func(want int64, options *bind.CallOpts) error {
		got, err := count(options)
		if err != nil {
			return err
		}
		return check(got == want, fmt.Sprintf("the count %d is %d", got, want))
	}
	increase := func(by int64) (*types.Receipt, error) {
		transaction, err := counter.Transact(sender, "increase", big.NewInt(by))
		if err != nil {
			return nil, err
		}
		return bind.WaitMined(ctx, client, transaction)
	}
	logs := func(from *big.Int) ([]int64, error) {
		found, err := client.FilterLogs(ctx, ethereum.FilterQuery{FromBlock: from, Addresses: []common.Address{address}})
		numbers := []int64{}
		for _, log := range found {
			numbers = append(numbers, new(big.Int).SetBytes(log.Data).Int64())
		}
		return numbers, err
	}

	step("deploys a contract", limit{}, way{"", func() error {
		var transaction *types.Transaction
		var err error
		address, transaction, counter, err = bind.DeployContract(sender, counterAbi, common.FromHex(file.Bytecode), client, big.NewInt(40))
		if err != nil {
			return err
		}
		if _, err = bind.WaitDeployed(ctx, client, transaction); err != nil {
			return err
		}
		return counts(40, nil)
	}})
	step("sends a transaction and waits", limit{}, way{"", func() (err error) {
		if mined, err = increase(2); err != nil {
			return err
		}
		for head := uint64(0); head < mined.BlockNumber.Uint64()+1; time.Sleep(200 * time.Millisecond) {
			if head, err = client.BlockNumber(ctx); err != nil {
				return err
			}
		}
		return errors.Join(check(mined.Status == 1, "the transaction succeeded"), counts(42, nil))
	}})
	step("receives events by polling", limit{}, way{"", func() error {
		_, err := client.SubscribeFilterLogs(ctx, ethereum.FilterQuery{}, make(chan types.Log))
		return err
	}}, way{"`FilterLogs` in a loop, because subscriptions need a WebSocket", func() error {
		for _, by := range []int64{1, 2} {
			if _, err := increase(by); err != nil {
				return err
			}
		}
		for {
			found, err := logs(new(big.Int).Add(mined.BlockNumber, big.NewInt(1)))
			if err != nil || len(found) >= 2 {
				return errors.Join(err, check(fmt.Sprint(found) == "[43 45]", "the counts are 43 and 45"))
			}
			time.Sleep(200 * time.Millisecond)
		}
	}})
	step("reads logs", limit{}, way{"", func() error {
		found, err := logs(mined.BlockNumber)
		return errors.Join(err, check(fmt.Sprint(found) == "[42 43 45]", "the counts are 42, 43 and 45"))
	}})
	step("reads old state", limit{}, way{"", func() error {
		before := new(big.Int).Sub(mined.BlockNumber, big.NewInt(1))
		balance, err := client.BalanceAt(ctx, me, big.NewInt(1))
		if err != nil {
			return err
		}
		return errors.Join(check(balance.Sign() > 0, "the account had a balance"), counts(40, &bind.CallOpts{BlockNumber: before}))
	}})
	step("reads state by block hash", limit{}, way{"", func() error {
		return counts(42, &bind.CallOpts{BlockHash: mined.BlockHash})
	}})
	step("reads 300 balances in one turn", limit{}, way{"`BatchCallContext`", func() error {
		var calls []rpc.BatchElem
		for number := int64(1); number <= 300; number++ {
			arguments := []any{common.BigToAddress(big.NewInt(number)), "latest"}
			calls = append(calls, rpc.BatchElem{Method: "eth_getBalance", Args: arguments, Result: new(string)})
		}
		failures := []error{client.Client().BatchCallContext(ctx, calls)}
		for _, call := range calls {
			failures = append(failures, call.Error)
		}
		return errors.Join(failures...)
	}})
	step("shows the reason of a revert", limit{}, way{"", func() error {
		data := must(counterAbi.Pack("increase", big.NewInt(0)))
		_, err := client.CallContract(ctx, ethereum.CallMsg{From: me, To: &address, Data: data}, nil)
		return refused(err, "nothing to add")
	}})
	step("reads the pending block", limit{"missing required field", "it requires members that are null in a pending block"}, way{"", func() error {
		_, err := client.HeaderByNumber(ctx, big.NewInt(-1))
		return err
	}})
	step("receives events over a restart", limit{}, way{"`FilterLogs` in a loop", func() error {
		before, err := count(nil)
		if err != nil {
			return err
		}
		head, err := client.BlockNumber(ctx)
		if err != nil {
			return err
		}
		for _, by := range []int64{1, 2} {
			if _, err := increase(by); err != nil {
				return err
			}
			if by == 1 {
				answer, err := http.Post(os.Getenv("RESTART_URL"), "", nil)
				if err != nil {
					return err
				}
				answer.Body.Close()
			}
		}
		for {
			found, err := logs(new(big.Int).SetUint64(head + 1))
			if err != nil || len(found) >= 2 {
				want := fmt.Sprint([]int64{before + 1, before + 3})
				return errors.Join(err, check(fmt.Sprint(found) == want, "the counts are "+want))
			}
			time.Sleep(200 * time.Millisecond)
		}
	}})
	step("shows the limit of logs", limit{}, way{"", func() error {
		_, err := client.FilterLogs(ctx, ethereum.FilterQuery{FromBlock: big.NewInt(0)})
		return refused(err, "more than 10000 results")
	}})
	step("shows a refused block tag", limit{}, way{"", func() error {
		_, err := client.HeaderByNumber(ctx, big.NewInt(-3)) // rpc.FinalizedBlockNumber
		return refused(err, "a tag: latest")
	}})
	step("shows a spent daily limit", limit{}, way{"", func() error {
		_, err := must(ethclient.Dial(os.Getenv("SPENT_URL"))).BlockNumber(ctx)
		return refused(err, "limit is spent")
	}})
}

func transactor(key *ecdsa.PrivateKey) *bind.TransactOpts {
	return must(bind.NewKeyedTransactorWithChainID(key, big.NewInt(31)))
}
