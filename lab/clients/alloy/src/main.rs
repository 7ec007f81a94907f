//! A counter that alloy deploys, calls and reads. Each step writes a line: `* STEP: works`, `works with OPTION` or
//! `cannot: REASON`.

use alloy::{
    eips::{BlockId, BlockNumberOrTag},
    network::TransactionBuilder,
    primitives::{Address, B256, Bytes, U256},
    providers::{Provider, ProviderBuilder},
    rpc::client::BatchRequest,
    rpc::types::{Filter, TransactionRequest},
    signers::local::PrivateKeySigner,
    sol,
    sol_types::SolValue,
    transports::http::reqwest::{Client, Url},
};
use std::{cell::OnceCell, env, error::Error, fs, future::Future, pin::Pin, time::Duration};

sol! {
    #[sol(rpc)]
    contract Counter {
        event Increased(address indexed by, uint256 count);
        function count() external view returns (uint256);
        function increase(uint256 by) external returns (uint256);
    }
}

type Outcome<T = ()> = Result<T, Box<dyn Error>>;
type Way<'a> = (&'a str, Pin<Box<dyn Future<Output = Outcome> + 'a>>);

/// Tries the ways of a step in order and reports the first that works. `limit` has a part of the error's message and the
/// reason why no way can work.
async fn step(name: &str, ways: Vec<Way<'_>>, limit: Option<(&str, &str)>) {
    let mut failure = String::new();
    for (option, way) in ways {
        match way.await {
            Ok(()) if option.is_empty() => return println!("* {name}: works"),
            Ok(()) => return println!("* {name}: works with {option}"),
            Err(error) => failure = error.to_string(),
        }
        eprintln!("{name} {option}: {failure}");
    }
    match limit.filter(|(part, _)| failure.contains(part)) {
        Some((_, why)) => println!("* {name}: cannot: {why}"),
        None => println!("* {name}: failed"),
    }
}

fn check(holds: bool, what: &str) -> Outcome {
    if holds {
        Ok(())
    } else {
        Err(format!("this does not hold: {what}").into())
    }
}

/// The check that a call was refused with a text.
fn refused<T, E: Error>(result: Result<T, E>, text: &str) -> Outcome {
    match result {
        Ok(_) => Err("an error was expected".into()),
        Err(error) => check(
            error.to_string().contains(text),
            &format!("{text} is in {error}"),
        ),
    }
}

/// The hexadecimal bytecode in the file of the contract.
fn bytecode() -> Outcome<Vec<u8>> {
    let file = fs::read_to_string(env::var("CONTRACT")?)?;
    let start = file.find("\"bytecode\"").ok_or("no bytecode")?;
    let text = file[start..].split('"').nth(3).ok_or("no bytecode")?;
    Ok(text.parse::<Bytes>()?.to_vec())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    println!("* version: {}", "2.5.0");
    let signer: PrivateKeySigner = env::var("PRIVATE_KEY")?.parse()?;
    let me = signer.address();
    let url: Url = env::var("RPC_URL")?.parse()?;
    let connect = || {
        let provider = ProviderBuilder::new()
            .wallet(signer.clone())
            .connect_http(url.clone());
        provider
            .client()
            .set_poll_interval(Duration::from_millis(200));
        provider
    };
    // A provider skips a nonce when it cannot fill in the fees of a transaction, so failing ways have their own.
    let provider = connect();
    let gas_price = provider.get_gas_price().await?;
    let address = OnceCell::<Address>::new();
    let mined = OnceCell::<(u64, B256)>::new();
    let counter = || Counter::new(*address.get().expect("deployed"), &provider);
    let block = || mined.get().expect("sent").0;

    let deploy = async |gas_price: Option<u128>| -> Outcome {
        let code = [bytecode()?, U256::from(40).abi_encode()].concat();
        let mut request = TransactionRequest::default().with_deploy_code(code);
        request.gas_price = gas_price;
        let own = connect();
        let sender = if gas_price.is_none() { &own } else { &provider };
        let receipt = sender
            .send_transaction(request)
            .await?
            .get_receipt()
            .await?;
        address
            .set(receipt.contract_address.ok_or("no address")?)
            .map_err(|_| "deployed twice")?;
        check(
            counter().count().call().await? == U256::from(40),
            "the count is 40",
        )
    };
    step(
        "deploys a contract",
        vec![
            ("", Box::pin(deploy(None))),
            ("`gas_price`", Box::pin(deploy(Some(gas_price)))),
        ],
        None,
    )
    .await;

    let send = async |gas_price: Option<u128>| -> Outcome {
        let own = connect();
        let sender = if gas_price.is_none() { &own } else { &provider };
        let deployed = Counter::new(*address.get().expect("deployed"), sender);
        let call = deployed.increase(U256::from(2));
        let call = if let Some(price) = gas_price {
            call.gas_price(price)
        } else {
            call
        };
        let receipt = call
            .send()
            .await?
            .with_required_confirmations(2)
            .get_receipt()
            .await?;
        check(receipt.status(), "the transaction succeeded")?;
        let place = receipt
            .block_number
            .zip(receipt.block_hash)
            .ok_or("no block")?;
        mined.set(place).map_err(|_| "sent twice")?;
        check(
            counter().count().call().await? == U256::from(42),
            "the count is 42",
        )
    };
    step(
        "sends a transaction and waits",
        vec![
            ("", Box::pin(send(None))),
            ("`gas_price`", Box::pin(send(Some(gas_price)))),
        ],
        None,
    )
    .await;

    step(
        "receives events by polling",
        vec![
            (
                "",
                Box::pin(async {
                    counter()
                        .Increased_filter()
                        .watch()
                        .await
                        .map(drop)
                        .map_err(Into::into)
                }),
            ),
            (
                "`query` in a loop, because filters are not kept",
                Box::pin(async {
                    for by in [1, 2] {
                        let deployed = counter();
                        let call = deployed.increase(U256::from(by)).gas_price(gas_price);
                        call.send().await?.get_receipt().await?;
                    }
                    loop {
                        let deployed = counter();
                        let found = deployed
                            .Increased_filter()
                            .from_block(block() + 1)
                            .query()
                            .await?;
                        if found.len() >= 2 {
                            let counts: Vec<_> =
                                found.iter().map(|(event, _)| event.count).collect();
                            return check(
                                counts == [43, 45].map(U256::from),
                                "the counts are 43 and 45",
                            );
                        }
                        tokio::time::sleep(Duration::from_millis(200)).await;
                    }
                }),
            ),
        ],
        None,
    )
    .await;

    step(
        "reads logs",
        vec![(
            "",
            Box::pin(async {
                let logs = counter()
                    .Increased_filter()
                    .from_block(block())
                    .query()
                    .await?;
                check(logs.len() == 3, "there are three logs")
            }),
        )],
        None,
    )
    .await;

    step(
        "reads old state",
        vec![(
            "",
            Box::pin(async {
                let before = counter()
                    .count()
                    .block(BlockId::number(block() - 1))
                    .call()
                    .await?;
                check(before == U256::from(40), "the count was 40")?;
                let balance = provider.get_balance(me).number(1).await?;
                check(balance > U256::ZERO, "the account had a balance")
            }),
        )],
        None,
    )
    .await;

    step(
        "reads state by block hash",
        vec![(
            "",
            Box::pin(async {
                let hash = mined.get().expect("sent").1;
                let then = counter().count().block(BlockId::hash(hash)).call().await?;
                check(then == U256::from(42), "the count was 42")
            }),
        )],
        None,
    )
    .await;

    step(
        "shows the reason of a revert",
        vec![(
            "",
            Box::pin(async {
                refused(
                    counter().increase(U256::ZERO).call().await,
                    "nothing to add",
                )
            }),
        )],
        None,
    )
    .await;

    step(
        "reads the pending block",
        vec![(
            "",
            Box::pin(async {
                provider
                    .get_block_by_number(BlockNumberOrTag::Pending)
                    .await?
                    .ok_or("no block")?;
                Ok(())
            }),
        )],
        Some((
            "deserialization error",
            "it requires members that are null in a pending block",
        )),
    )
    .await;

    step(
        "reads 300 balances in one turn",
        vec![(
            "`BatchRequest`",
            Box::pin(async {
                let mut batch = BatchRequest::new(provider.client());
                let mut balances = Vec::new();
                for number in 1..=300_u64 {
                    let account = Address::from_word(U256::from(number).into());
                    balances
                        .push(batch.add_call::<_, U256>("eth_getBalance", &(account, "latest"))?);
                }
                batch.send().await?;
                for balance in balances {
                    balance.await?;
                }
                Ok(())
            }),
        )],
        None,
    )
    .await;

    step(
        "receives events over a restart",
        vec![(
            "`query` in a loop",
            Box::pin(async {
                for by in [1, 2] {
                    let deployed = counter();
                    let call = deployed.increase(U256::from(by)).gas_price(gas_price);
                    call.send().await?.get_receipt().await?;
                    if by == 1 {
                        Client::new().post(env::var("RESTART_URL")?).send().await?;
                    }
                }
                loop {
                    let deployed = counter();
                    let found = deployed
                        .Increased_filter()
                        .from_block(block() + 1)
                        .query()
                        .await?;
                    if found.len() >= 4 {
                        let counts: Vec<_> = found.iter().map(|(event, _)| event.count).collect();
                        return check(
                            counts == [43, 45, 46, 48].map(U256::from),
                            "each event is there once",
                        );
                    }
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }),
        )],
        None,
    )
    .await;

    step(
        "shows the limit of logs",
        vec![(
            "",
            Box::pin(async {
                let all = Filter::new()
                    .from_block(0)
                    .to_block(BlockNumberOrTag::Latest);
                refused(provider.get_logs(&all).await, "more than 10000 results")
            }),
        )],
        None,
    )
    .await;

    step(
        "shows a refused block tag",
        vec![(
            "",
            Box::pin(async {
                let block = provider
                    .get_block_by_number(BlockNumberOrTag::Finalized)
                    .await;
                refused(block, "a tag: latest")
            }),
        )],
        None,
    )
    .await;

    step(
        "shows a spent daily limit",
        vec![(
            "",
            Box::pin(async {
                let spent = ProviderBuilder::new().connect_http(env::var("SPENT_URL")?.parse()?);
                refused(spent.get_block_number().await, "limit is spent")
            }),
        )],
        None,
    )
    .await;
    Ok(())
}
