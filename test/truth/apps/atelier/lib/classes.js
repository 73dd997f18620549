'use strict'

class Basket {
  #items
  #sum = 0

  constructor (size) {
    this.#items = size
  }

  get total () {
    let total = 0
    for (let item = 0; item < this.#items; item++) total += Math.log1p(item) * (item % 7) // truth: getter
    return total
  }

  get size () {
    return this.#items
  }

  set size (size) {
    for (let item = 0; item < size; item++) this.#sum += Math.cbrt(item) // truth: setter
  }

  count () {
    return this.#countAll(0)
  }

  #countAll (count) {
    for (let item = 0; item < this.#items; item++) count += Math.tan(item) > 1 ? 1 : 0 // truth: private method
    return count
  }

  * [Symbol.iterator] () {
    for (let item = 0; item < this.#items; item++) {
      yield Math.atan2(item, 7) // truth: iterator of a class
    }
  }
}

const getting = size => new Basket(size).total
const counting = size => new Basket(size).count()

function setting (size) {
  const basket = new Basket(0)
  basket.size = size
  return basket.count()
}

function iterating (size) {
  let sum = 0
  for (const item of new Basket(size)) sum += item // truth: iterator of a class
  return sum
}

function trapping (size) {
  const prices = new Proxy({}, {
    get (target, key) {
      let price = 0
      for (let step = 0; step < size; step++) price += Math.sinh(step % 10) // truth: trap of a proxy
      return price + key.length
    }
  })
  return prices.apple
}

function defining (size) {
  const Units = class { // truth: static block of a class
    static table = []
    static {
      for (let unit = 0; unit < size; unit++) this.table[unit % 100] = Math.cosh(unit % 10) // truth: static block of a class
    }
  }
  return Units.table.length
}

function constructing (size) {
  return new Grid(size).cells.length
}

class Grid {
  constructor (size) {
    this.cells = new Float64Array(100)
    for (let cell = 0; cell < size; cell++) this.cells[cell % 100] += Math.asinh(cell) // truth: constructor
  }
}

module.exports = { getting, setting, counting, iterating, trapping, defining, constructing }
