// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Counter} from "../contracts/counter.sol";

interface Vm {
    function envAddress(string calldata name) external view returns (address);
    function envUint(string calldata name) external view returns (uint256);
    function rollFork(uint256 block) external;
}

/// Reads and changes a deployed counter on a fork.
contract ForkTest {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function testCounterOfTheFork() external {
        Counter counter = Counter(vm.envAddress("COUNTER"));
        require(counter.count() == 45, "the newest count is 45");
        counter.increase(5);
        require(counter.count() == 50, "the fork has changed");
    }

    function testCounterOfAnOlderBlock() external {
        vm.rollFork(vm.envUint("OLD_BLOCK"));
        require(Counter(vm.envAddress("COUNTER")).count() == 40, "the count was 40");
    }
}
