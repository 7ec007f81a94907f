// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A counter: state to read, a log to look for, and a revert with a reason.
contract Counter {
    uint256 public count;

    event Increased(address indexed by, uint256 count);

    constructor(uint256 first) {
        count = first;
    }

    function increase(uint256 by) external returns (uint256) {
        require(by > 0, "nothing to add");
        count += by;
        emit Increased(msg.sender, count);
        return count;
    }
}
