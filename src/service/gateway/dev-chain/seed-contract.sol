// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The contract that every embedded chain is seeded with: logs with 0 to 4 topics, storage, answers and reverts
/// of every kind. Its compiled form stands in seed-contract.ts; the compiler's settings are written there.
contract SeedContract {
    /// Storage slot 0.
    uint256 public number = 42;
    /// Storage slot 1, a short string.
    string public greeting = "hello";

    event Bare(uint256 value) anonymous;
    event Noted(uint256 value);
    event Marked(uint256 indexed key, uint256 value);
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Placed(uint256 indexed x, uint256 indexed y, uint256 indexed z);

    error Refused(address caller, uint256 value);

    receive() external payable {}

    /// Emits `count` logs; the one numbered i has i modulo 5 topics.
    function emitLogs(uint256 first, uint256 count) external {
        for (uint256 i = first; i < first + count; ++i) {
            uint256 kind = i % 5;
            if (kind == 0) emit Bare(i);
            else if (kind == 1) emit Noted(i);
            else if (kind == 2) emit Marked(i, i);
            else if (kind == 3) emit Transfer(msg.sender, address(this), i);
            else emit Placed(i, i / 5, i / 25);
        }
    }

    function setNumber(uint256 value) external {
        number = value;
    }

    /// Reverts with Error(string).
    function fail(string calldata reason) external pure {
        revert(reason);
    }

    /// Reverts with no data.
    function failSilently() external pure {
        revert();
    }

    /// Reverts with an error of the contract's own.
    function failOwn(uint256 value) external view {
        revert Refused(msg.sender, value);
    }

    /// Reverts with Panic(uint256) 0x01.
    function failAssertion() external pure {
        assert(false);
    }

    /// Writes `rounds` slots, then reverts with Error(string): a step fails after gas was consumed.
    function failAfter(uint256 rounds) external {
        for (uint256 i = 0; i < rounds; ++i) {
            assembly {
                sstore(add(i, 0x1000), 1)
            }
        }
        revert("late");
    }

    /// Never ends: whatever gas it gets is consumed.
    function spin() external pure {
        while (true) {}
    }
}
