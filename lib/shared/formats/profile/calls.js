'use strict'

// The calls of a tree, depth first, each with the question whether it is part of a recursion: whose time below counts already.

/**
 * @template {{ children: Tree[] }} Tree
 * @template Key
 * @param {readonly Tree[]} trees
 * @param {(tree: Tree) => Key} keyOf  the same for calls of one function
 * @returns {Generator<{ tree: Tree, key: Key, isNested: boolean }>} isNested: the same function is above it
 */
function * callsOf (trees, keyOf) {
  /** How many of a function are open. @type {Map<Key, number>} */
  const open = new Map()
  /** @type {({ tree: Tree } | { left: Key })[]} */
  const waiting = trees.toReversed().map(tree => ({ tree }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('left' in next) {
      open.set(next.left, (open.get(next.left) ?? 0) - 1)
      continue
    }
    const { tree } = next
    const key = keyOf(tree)
    const depth = open.get(key) ?? 0
    yield { tree, key, isNested: depth > 0 }
    open.set(key, depth + 1)
    waiting.push({ left: key })
    for (let at = tree.children.length - 1; at >= 0; at--) waiting.push({ tree: tree.children[at] })
  }
}

module.exports = { callsOf }
