export class Transformer {}
