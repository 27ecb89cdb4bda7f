/** The part of three.js' 3MF reader that is used; its own types require those of a browser. */
declare module 'three/addons/loaders/3MFLoader.js' {
  interface Attribute {
    array: ArrayLike<number>;
    count: number;
  }
  interface Node {
    children: Node[];
    matrix: { elements: number[] };
    geometry?: { attributes: Record<string, Attribute>; index: Attribute | null };
  }
  export class ThreeMFLoader {
    parse(data: ArrayBuffer): Node;
  }
}
