// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Counter} from "../contracts/counter.sol";

interface Vm {
    function startBroadcast() external;
    function stopBroadcast() external;
}

/// Deploys a counter and increases it.
contract Deploy {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external {
        vm.startBroadcast();
        Counter counter = new Counter(1);
        counter.increase(2);
        vm.stopBroadcast();
    }
}
