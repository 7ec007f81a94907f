// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.26;

/// The functions of the public Multicall3 contract, at its address on the development chains.
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }
    struct Call3Value {
        address target;
        bool allowFailure;
        uint256 value;
        bytes callData;
    }
    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate(Call[] calldata calls) external payable returns (uint256 blockNumber, bytes[] memory results) {
        blockNumber = block.number;
        results = new bytes[](calls.length);
        for (uint256 at = 0; at < calls.length; at++) {
            results[at] = run(calls[at].target, 0, calls[at].callData, false).returnData;
        }
    }

    function blockAndAggregate(Call[] calldata calls)
        external payable returns (uint256 blockNumber, bytes32 blockHash, Result[] memory results)
    {
        return tryBlockAndAggregate(true, calls);
    }

    function tryBlockAndAggregate(bool requireSuccess, Call[] calldata calls)
        public payable returns (uint256 blockNumber, bytes32 blockHash, Result[] memory results)
    {
        // The hash of the current block is not known to its transactions, and reads as zero.
        return (block.number, blockhash(block.number), tryAggregate(requireSuccess, calls));
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) public payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 at = 0; at < calls.length; at++) {
            results[at] = run(calls[at].target, 0, calls[at].callData, !requireSuccess);
        }
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 at = 0; at < calls.length; at++) {
            results[at] = run(calls[at].target, 0, calls[at].callData, calls[at].allowFailure);
        }
    }

    function aggregate3Value(Call3Value[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        uint256 spent;
        for (uint256 at = 0; at < calls.length; at++) {
            spent += calls[at].value;
            results[at] = run(calls[at].target, calls[at].value, calls[at].callData, calls[at].allowFailure);
        }
        require(msg.value == spent, "Multicall3: value mismatch");
    }

    function run(address target, uint256 value, bytes calldata data, bool mayFail)
        private returns (Result memory result)
    {
        (result.success, result.returnData) = target.call{value: value}(data);
        require(result.success || mayFail, "Multicall3: call failed");
    }

    function getEthBalance(address account) external view returns (uint256) {
        return account.balance;
    }

    function getBlockHash(uint256 number) external view returns (bytes32) {
        return blockhash(number);
    }

    function getLastBlockHash() external view returns (bytes32) {
        return blockhash(block.number - 1);
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }

    function getCurrentBlockTimestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function getCurrentBlockGasLimit() external view returns (uint256) {
        return block.gaslimit;
    }

    function getCurrentBlockCoinbase() external view returns (address) {
        return block.coinbase;
    }

    function getBasefee() external view returns (uint256) {
        return block.basefee;
    }

    function getChainId() external view returns (uint256) {
        return block.chainid;
    }
}
