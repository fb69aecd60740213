export 'src.dart'
    hide
        Brightness,
        Listenable,
        MatrixUtils,
        RenderAnimatedOpacity,
        RenderOffstage,
        RenderOpacity,
        RenderView,
        ResizeImage,
        ResizeImagePolicy,
        ValueListenable,
        ValueNotifier;
