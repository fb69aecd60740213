// Names and signatures of `dart:js_interop`, as far as this package uses them: the compiler for devices
// has no such library.

import 'dart:typed_data';

class JS {
  const JS([this.name]);
  final String? name;
}

extension type JSAny._(Object _) {}
extension type JSObject._(Object _) implements JSAny {}
extension type JSFunction._(Object _) implements JSObject {}
extension type JSPromise<T extends JSAny?>._(Object _) implements JSObject {}
extension type JSArrayBuffer._(Object _) implements JSObject {}

extension JSPromiseToFuture<T extends JSAny?> on JSPromise<T> {
  external Future<T> get toDart;
}

extension FutureToJSPromise on Future<void> {
  external JSPromise get toJS;
}

extension FunctionToJS on Function {
  external JSFunction get toJS;
}

extension BufferToDart on JSArrayBuffer {
  external ByteBuffer get toDart;
}
