/** Union-find with path halving; the root of a set is its smallest member. */
export class DisjointSets {
  readonly #parent: Uint32Array;
  constructor(count: number) {
    this.#parent = new Uint32Array(count);
    for (let i = 0; i < count; i++) this.#parent[i] = i;
  }
  root(member: number): number {
    const parent = this.#parent;
    let at = member;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }
  join(a: number, b: number): void {
    const ra = this.root(a);
    const rb = this.root(b);
    if (ra < rb) this.#parent[rb] = ra;
    else this.#parent[ra] = rb;
  }
}
