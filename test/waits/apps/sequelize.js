'use strict'

// One query for the orders, and one for the customer of each: N+1, by an ORM.

const { DataTypes, Sequelize } = require('sequelize')

const sequelize = new Sequelize('mysql', 'root', '', { host: '127.0.0.1', port: Number(process.env.SLOW_MYSQL_PORT), dialect: 'mysql', logging: false, pool: { max: 30 } })
const Customer = sequelize.define('Customer', { name: DataTypes.STRING }, { timestamps: false })
const Order = sequelize.define('Order', { customerId: DataTypes.INTEGER }, { timestamps: false })
Order.belongsTo(Customer, { foreignKey: 'customerId' })

const ready = sequelize.sync().then(async () => {
  const customer = await Customer.create({ name: 'Ada' })
  await Order.bulkCreate(Array.from({ length: 10 }, () => ({ customerId: customer.id })))
})

async function loadOrders () {
  const orders = await Order.findAll({ limit: 10 })
  for (const order of orders) order.customer = await order.getCustomer() // the wait
  return orders
}

module.exports = async function list (request, response) {
  await ready
  response.end(JSON.stringify((await loadOrders()).length))
}
