import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.web3j.abi.FunctionEncoder;
import org.web3j.abi.TypeReference;
import org.web3j.abi.datatypes.Function;
import org.web3j.abi.datatypes.generated.Uint256;
import org.web3j.crypto.Credentials;
import org.web3j.protocol.Web3j;
import org.web3j.protocol.core.BatchRequest;
import org.web3j.protocol.core.DefaultBlockParameter;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.RemoteFunctionCall;
import org.web3j.protocol.core.Request;
import org.web3j.protocol.core.Response;
import org.web3j.protocol.core.methods.request.EthFilter;
import org.web3j.protocol.core.methods.request.Transaction;
import org.web3j.protocol.core.methods.response.EthBlock;
import org.web3j.protocol.core.methods.response.EthCall;
import org.web3j.protocol.core.methods.response.EthLog;
import org.web3j.protocol.core.methods.response.Log;
import org.web3j.protocol.core.methods.response.TransactionReceipt;
import org.web3j.protocol.http.HttpService;
import org.web3j.tx.Contract;
import org.web3j.tx.RawTransactionManager;
import org.web3j.tx.TransactionManager;
import org.web3j.tx.gas.ContractGasProvider;
import org.web3j.tx.gas.DefaultGasProvider;
import org.web3j.tx.gas.StaticGasProvider;

/**
 * A counter that web3j deploys, calls and reads. Each step writes a line: {@code * STEP: works}, {@code works with
 * OPTION} or {@code cannot: REASON}.
 */
public final class Client {
    /** A way of a step. */
    private interface Way {
        void run() throws Exception;
    }

    /** Tries the ways in order and reports the first that works. The empty text is the way without an option. */
    private static void step(String name, Map<String, Way> ways) {
        for (Map.Entry<String, Way> way : ways.entrySet()) {
            String option = way.getKey();
            try {
                way.getValue().run();
                System.out.println("* " + name + ": works" + (option.isEmpty() ? "" : " with " + option));
                return;
            } catch (Throwable failure) {
                StringWriter text = new StringWriter();
                failure.printStackTrace(new PrintWriter(text));
                System.err.println(name + " " + option + ": " + text);
            }
        }
        System.out.println("* " + name + ": failed");
    }

    private static void step(String name, Way way) {
        step(name, Map.of("", way));
    }

    private static Map<String, Way> ways(Way plain, String option, Way other) {
        Map<String, Way> all = new LinkedHashMap<>();
        all.put("", plain);
        all.put(option, other);
        return all;
    }

    private static void check(boolean holds, String what) {
        if (!holds) throw new IllegalStateException("this does not hold: " + what);
    }

    /** Checks that a text is in the message of an error, as the program shows it. */
    private static void shows(String message, String text) {
        check(message != null && message.contains(text), text + " is in " + message);
    }

    private static void refused(Way way, String text) {
        String message;
        try {
            way.run();
        } catch (Exception error) {
            message = error.getMessage();
            shows(message, text);
            return;
        }
        throw new IllegalStateException("an error was expected");
    }

    /** Throws the error of a response, which web3j returns. */
    private static <Result extends Response<?>> Result accepted(Result response) {
        if (response.hasError()) throw new IllegalStateException(response.getError().getMessage());
        return response;
    }

    /** The contract, as the generator of web3j writes it. */
    public static final class Counter extends Contract {
        public Counter(String address, Web3j web3j, TransactionManager manager, ContractGasProvider gas) {
            super("", address, web3j, manager, gas);
        }

        private static final List<TypeReference<?>> NUMBER = List.of(new TypeReference<Uint256>() {});

        BigInteger count() throws Exception {
            Function function = new Function("count", List.of(), NUMBER);
            return executeRemoteCallSingleValueReturn(function, BigInteger.class).send();
        }

        RemoteFunctionCall<TransactionReceipt> increase(long by) {
            return executeRemoteCallTransaction(increaseFunction(by));
        }

        static Function increaseFunction(long by) {
            return new Function("increase", List.of(new Uint256(by)), List.of());
        }
    }

    private static Counter counter;
    private static TransactionReceipt mined;

    public static void main(String[] args) throws Exception {
        System.out.println("* version: " + version());
        HttpService service = new HttpService(System.getenv("RPC_URL"));
        Web3j web3j = Web3j.build(service);
        Credentials me = Credentials.create(System.getenv("PRIVATE_KEY"));
        TransactionManager manager = new RawTransactionManager(web3j, me, 31, 300, 200);
        JsonNode compiled = new ObjectMapper().readTree(new File(System.getenv("CONTRACT")));

        step("deploys a contract", ways(
                () -> deploy(web3j, manager, new DefaultGasProvider(), compiled),
                "`StaticGasProvider`, because the default gas limit is above the limit of a block",
                () -> {
                    BigInteger price = web3j.ethGasPrice().send().getGasPrice();
                    deploy(web3j, manager, new StaticGasProvider(price, BigInteger.valueOf(1_000_000)), compiled);
                }));
        step("sends a transaction and waits", () -> {
            mined = counter.increase(2).send();
            while (web3j.ethBlockNumber().send().getBlockNumber().compareTo(mined.getBlockNumber()) <= 0)
                TimeUnit.MILLISECONDS.sleep(200);
            check(mined.isStatusOK(), "the transaction succeeded");
            check(counter.count().intValueExact() == 42, "the count is 42");
        });
        BigInteger next = mined.getBlockNumber().add(BigInteger.ONE);
        step("receives events by polling", ways(
                () -> {
                    EthFilter filter = new EthFilter(
                            DefaultBlockParameterName.LATEST, DefaultBlockParameterName.LATEST, counter.getContractAddress());
                    web3j.ethLogFlowable(filter).timeout(10, TimeUnit.SECONDS).blockingFirst();
                },
                "`ethGetLogs` in a loop, because filters are not kept",
                () -> {
                    for (long by : new long[] {1, 2}) counter.increase(by).send();
                    List<Integer> counts = counts(web3j, next);
                    for (; counts.size() < 2; counts = counts(web3j, next)) TimeUnit.MILLISECONDS.sleep(200);
                    check(counts.equals(List.of(43, 45)), "the counts are 43 and 45");
                }));
        step("reads logs", () ->
                check(counts(web3j, mined.getBlockNumber()).equals(List.of(42, 43, 45)), "the counts are 42, 43 and 45"));
        step("reads old blocks as a stream", () -> {
            DefaultBlockParameter first = DefaultBlockParameter.valueOf(mined.getBlockNumber());
            DefaultBlockParameter last = DefaultBlockParameter.valueOf(next);
            long blocks = web3j.replayPastBlocksFlowable(first, last, false).count().blockingGet();
            check(blocks == 2, "two blocks are read");
        });
        step("reads old state", () -> {
            counter.setDefaultBlockParameter(DefaultBlockParameter.valueOf(mined.getBlockNumber().subtract(BigInteger.ONE)));
            check(counter.count().intValueExact() == 40, "the count was 40");
            DefaultBlockParameter first = DefaultBlockParameter.valueOf(BigInteger.ONE);
            BigInteger balance = accepted(web3j.ethGetBalance(me.getAddress(), first).send()).getBalance();
            check(balance.signum() > 0, "the account had a balance");
        });
        Transaction countCall = Transaction.createEthCallTransaction(
                me.getAddress(), counter.getContractAddress(), FunctionEncoder.encode(new Function("count", List.of(), List.of())));
        step("reads state by block hash", Map.of("a `Request` of its own, because its methods take numbers and tags", () -> {
            List<Object> params = List.of(countCall, Map.of("blockHash", mined.getBlockHash()));
            EthCall answer = accepted(new Request<>("eth_call", params, service, EthCall.class).send());
            check(new BigInteger(answer.getValue().substring(2), 16).intValueExact() == 42, "the count was 42");
        }));
        step("reads 300 balances in one turn", Map.of("`newBatch`", () -> {
            BatchRequest batch = web3j.newBatch();
            for (int number = 1; number <= 300; number++)
                batch.add(web3j.ethGetBalance(String.format("0x%040x", number), DefaultBlockParameterName.LATEST));
            List<? extends Response<?>> answers = batch.send().getResponses();
            for (Response<?> answer : answers) accepted(answer);
            check(answers.size() == 300, "there are 300 answers");
        }));
        step("shows the reason of a revert", () -> {
            String data = FunctionEncoder.encode(Counter.increaseFunction(0));
            Transaction call = Transaction.createEthCallTransaction(me.getAddress(), counter.getContractAddress(), data);
            shows(web3j.ethCall(call, DefaultBlockParameterName.LATEST).send().getRevertReason(), "nothing to add");
        });
        step("reads the pending block", () -> {
            EthBlock pending = accepted(web3j.ethGetBlockByNumber(DefaultBlockParameterName.PENDING, false).send());
            check(pending.getBlock().getParentHash() != null, "the block has a parent");
        });
        step("receives events over a restart", Map.of("`ethGetLogs` in a loop", () -> {
            counter.increase(1).send();
            HttpRequest restart = HttpRequest.newBuilder(URI.create(System.getenv("RESTART_URL")))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            HttpClient.newHttpClient().send(restart, HttpResponse.BodyHandlers.discarding());
            counter.increase(2).send();
            List<Integer> counts = counts(web3j, next);
            for (; counts.size() < 4; counts = counts(web3j, next)) TimeUnit.MILLISECONDS.sleep(200);
            check(counts.equals(List.of(43, 45, 46, 48)), "each event is there once");
        }));
        step("shows the limit of logs", () -> {
            EthFilter all = new EthFilter(DefaultBlockParameterName.EARLIEST, DefaultBlockParameterName.LATEST, List.of());
            refused(() -> accepted(web3j.ethGetLogs(all).send()), "more than 10000 results");
        });
        step("shows a refused block tag", () -> {
            DefaultBlockParameter tag = DefaultBlockParameterName.FINALIZED;
            refused(() -> accepted(web3j.ethGetBlockByNumber(tag, false).send()), "a tag: latest");
        });
        step("shows a spent daily limit", () -> {
            Web3j spent = Web3j.build(new HttpService(System.getenv("SPENT_URL")));
            refused(() -> accepted(spent.ethBlockNumber().send()), "limit is spent");
        });
        System.exit(0);
    }

    private static void deploy(Web3j web3j, TransactionManager manager, ContractGasProvider gas, JsonNode compiled)
            throws Exception {
        String constructor = FunctionEncoder.encodeConstructor(List.of(new Uint256(40)));
        String code = compiled.get("bytecode").asText();
        counter = Contract.deployRemoteCall(Counter.class, web3j, manager, gas, code, constructor).send();
        check(counter.count().intValueExact() == 40, "the count is 40");
    }

    /** The counts in the logs of the contract, from a block on. */
    private static List<Integer> counts(Web3j web3j, BigInteger from) throws Exception {
        EthFilter filter = new EthFilter(
                DefaultBlockParameter.valueOf(from), DefaultBlockParameterName.LATEST, counter.getContractAddress());
        List<Integer> counts = new ArrayList<>();
        for (EthLog.LogResult<?> result : accepted(web3j.ethGetLogs(filter).send()).getLogs())
            counts.add(new BigInteger(((Log) result.get()).getData().substring(2), 16).intValueExact());
        return counts;
    }

    private static String version() {
        String file = Web3j.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        return file.replaceAll(".*/core-(.*)\\.jar", "$1");
    }
}
