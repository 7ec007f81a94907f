/** Deploys the counter by `hardhat-deploy`, and calls it. */
module.exports = async ({ deployments, getNamedAccounts }) => {
  const { deployer } = await getNamedAccounts()
  await deployments.deploy('Counter', { from: deployer, args: [1] })
  await deployments.execute('Counter', { from: deployer }, 'increase', 2)
}
module.exports.tags = ['Counter']
